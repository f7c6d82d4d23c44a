"""Modules are named by nouns of the field: no pronoun, adverb, participle or verb stands at the end of a name.

Two kinds of modules bear names that are given: commands, and the scenario that a module declares.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.scenarios import default_scenarios
from tests.support.prose import ROOT, files

DATA: dict[str, Any] = tomllib.loads((ROOT / "tests" / "data" / "module_words.toml").read_text())
WORDS = {word: kind for kind, words in DATA["words"].items() for word in words}
NOUNS: dict[str, str] = DATA["nouns"]
"""A noun that ends as a participle: the reason for it."""
FOLDERS = {"probe", "spark", "benchmarks", "clients"}


def modules() -> list[Path]:
    python = [path for path in files() if path.suffix == ".py" and not path.stem.startswith("__")]
    return [path for path in python if path.parts[0] in FOLDERS or path.parts[:2] == ("tests", "support")]


def fault(name: str) -> str:
    """Return the kind of word that a name ends with, empty for a noun."""
    first, word = name.split("_", maxsplit=1)[0], name.rsplit("_", 1)[-1]
    if WORDS.get(first) == "pronouns":
        return f"pronouns: {first}"
    if word in WORDS:
        return f"{WORDS[word]}: {word}"
    return f"participles: {word}" if word.endswith(("ed", "ing")) and word not in NOUNS else ""


def is_given(path: Path) -> bool:
    """Return whether a module has the name of its command or of its scenario."""
    folder = str(path.parent)
    if folder == "probe/scenarios":
        return path.stem in {name.replace("/", "_").replace("-", "_") for name in default_scenarios()}
    return folder in {"probe/cli/commands", "probe/cli/answers"}


def test_every_module_is_named_by_a_noun() -> None:
    found = {str(path): fault(path.stem) for path in modules() if not is_given(path)}
    assert {path: kind for path, kind in found.items() if kind} == {}


@pytest.mark.parametrize(
    "name", ["whose", "whose_client", "seen", "observed", "keeping", "elsewhere", "written", "read"]
)
def test_names_that_name_nothing_are_found(name: str) -> None:
    assert fault(name)


@pytest.mark.parametrize("name", ["trouble_history", "host", "reader", "pacing", "seed_word", "connections"])
def test_nouns_are_not_found(name: str) -> None:
    assert fault(name) == ""


def test_every_exception_is_used_and_has_a_reason() -> None:
    last = {path.stem.rsplit("_", 1)[-1] for path in modules()}
    assert sorted(NOUNS.keys() - last) == []
    assert all(NOUNS.values())
