"""Files and modules that the documents name exist, and so do the options of the commands that they show."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.support.command import command
from tests.support.prose import ROOT
from tests.unit.test_prose import pages

WORD = re.compile(r"[\w./*<>{},-]+")
PLACEHOLDER = re.compile(r"[*<>{}]|[A-Z]{4,}")
SHOWN = re.compile(r"\bprobe ([a-z]+(?:-[a-z]+)?)\b([^`|#;]*)")


@cache
def tracked() -> frozenset[str]:
    """Return the files of the repository and their folders."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    names = listed.stdout.splitlines()
    return frozenset({*names, *(str(folder) for name in names for folder in Path(name).parents)})


def code(page: Path) -> list[str]:
    """Return the code of a page: spans, and the lines of blocks."""
    text = (ROOT / page).read_text().replace("\\\n", " ")
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return [*spans, *(line for block in blocks for line in block.splitlines())]


@cache
def options(name: str) -> frozenset[str] | None:
    """Return the options in the help of a command; None if there is no such command."""
    done = command(name, "--help")
    return None if done.returncode else frozenset(re.findall(r"--[a-z][\w-]*", done.stdout))


def named_files(text: str) -> list[str]:
    tops = {name for name in tracked() if "/" not in name}
    words = [word.strip(".,") for word in WORD.findall(text)]
    found = [word.rstrip("/") for word in words if "/" in word and not PLACEHOLDER.search(word)]
    modules = [f"{module.replace('.', '/')}.py" for module in re.findall(r"\B-m ((?:probe|spark|tests)\.[\w.]+)", text)]
    return [*modules, *(word for word in found if word.split("/")[0] in tops)]


@pytest.mark.parametrize("page", pages(), ids=str)
def test_files_and_modules_exist(page: Path) -> None:
    named = {name for text in code(page) for name in named_files(text)}
    assert (
        sorted(name for name in named if name not in tracked() and f"{name.removesuffix('.py')}" not in tracked()) == []
    )


@pytest.mark.parametrize("page", pages(), ids=str)
def test_options_of_commands_exist(page: Path) -> None:
    wrong = []
    for text in code(page):
        for name, rest in SHOWN.findall(text):
            known = options(name)
            wrong += [
                f"{name} {word}"
                for word in re.findall(r"(?<!\S)--[a-z][\w-]*", rest.split(" && ")[0])
                if known is not None and word not in known
            ]
    assert wrong == []


def test_files_modules_and_options_are_read() -> None:
    assert named_files("python -m probe.nothing, `probe/none.py`") == ["probe/nothing.py", "probe/none.py"]
    assert named_files("evidence/ENGINE/FAMILY.tsv probe/{a,b}.py linger.ms=5") == []
    assert {"--client", "--scenario"} <= (options("run") or set())
    assert options("nothing") is None
