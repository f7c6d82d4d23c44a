"""Only `Profile.parse` splits the text of a profile, which the syntax trees of all sources show."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARSER = "probe/model/profile.py"
VERSIONS = "probe/model/versions.py"
"""Splits versions at a plus, which begins the mark of a local build."""
SPLITS = {"split", "rsplit", "partition", "rpartition", "join", "find", "index", "startswith", "removeprefix"}
PLUS_AS_PATTERN = {r"\+", "[+]"}
MENTION = re.compile(r"\belection=")


def found(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that split or join at a plus, or search for an election in text, outside of docstrings."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SPLITS:
            texts = [node.func.value, *node.args]
            if any(isinstance(text, ast.Constant) and text.value == "+" for text in texts):
                yield node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield from [node.lineno] if MENTION.search(node.value) or node.value in PLUS_AS_PATTERN else []


def sources() -> list[Path]:
    paths = [path for folder in ("probe", "spark") for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in paths if "_pb2" not in path.name]


def test_only_the_parser_splits_profiles() -> None:
    bad = [
        f"{name}:{line}"
        for path in sources()
        if (name := path.relative_to(ROOT).as_posix()) not in {PARSER, VERSIONS}
        for line in found(ast.parse(path.read_text()))
    ]
    assert not bad, f"{', '.join(bad)}: use Profile.parse and str(Profile) of {PARSER}"


@pytest.mark.parametrize(
    "line",
    [
        'name, *pairs = text.split("+")',
        'name = cell.profile.partition("+")[0]',
        'text = "+".join(parts)',
        'own = [part for part in parts if not part.startswith("election=")]',
        'plain = re.sub(r"\\+election=[0-9,]+", "", text)',
        'parts = re.split(r"\\+", text)',
        'text = f"{name}+election={election}"',
    ],
)
def test_code_that_splits_a_profile_is_found(line: str) -> None:
    assert list(found(ast.parse(line)))


@pytest.mark.parametrize("line", ['"""Written `isolated+election=1000`."""', 'mark = text.partition("+local.")[2]'])
def test_docstrings_and_versions_are_not_found(line: str) -> None:
    assert not list(found(ast.parse(line)))
