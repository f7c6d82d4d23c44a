"""Names that the glossary replaced do not come back as identifiers or as names of modules."""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DATA: dict[str, Any] = tomllib.loads((ROOT / "tests" / "data" / "retired_names.toml").read_text())
FOLDERS = ("probe", "spark", "go_shim", "clients", "proto", "benchmarks", "tests")
LANGUAGES = {"python": ".py", "go": ".go", "java": ".java", "javascript": ".js", "rust": ".rs"}
SKIPPED = re.compile(r"_pb2|\.pb\.(go|rs)$|(^|/)(__pycache__|node_modules|build|\.venv)/")
PROSE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
"""Comments and strings of Go, Java, JavaScript and Rust."""


def files(suffix: str) -> Iterator[tuple[str, Path]]:
    for path in (ROOT / "run.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")))):
        name = str(path.relative_to(ROOT))
        if path.suffix == suffix and path.is_file() and not SKIPPED.search(name):
            yield name, path


@cache
def identifiers(path: Path) -> set[str]:
    """Return every identifier of a source file, and the name of the file itself."""
    text = path.read_text()
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        return {token.string for token in tokens if token.type == tokenize.NAME} | {path.stem}
    return set(re.findall(r"\w+", PROSE.sub(" ", text))) | {path.stem}


def allowed() -> dict[tuple[str, str], str]:
    """Return the reason of every exception, by file and name."""
    return {(entry["file"], entry["word"]): entry["reason"] for entry in DATA.get("allowed", [])}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_retired_name_is_an_identifier(language: str) -> None:
    retired = set(DATA.get(language, DATA["go"]))
    found = {(name, word) for name, path in files(LANGUAGES[language]) for word in identifiers(path) & retired}
    assert sorted(found - allowed().keys()) == [], "docs/glossary.md has the word for it"


def test_every_exception_is_still_needed() -> None:
    found = {
        (name, word)
        for language, suffix in LANGUAGES.items()
        for name, path in files(suffix)
        for word in identifiers(path) & set(DATA.get(language, DATA["go"]))
    }
    assert sorted(allowed().keys() - found) == []
    assert all(allowed().values())
