"""Roles and engines by name: code outside their tables asks for a property of the row."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAMES = {"Role", "Engine"}
TABLES = {
    "probe/model/roles.py",
    "probe/model/engines.py",
    "probe/cli/wiring/engines.py",
    "probe/cells/doubts.py",  # rows of changes, each of the cells that it names
}


def _is_named(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in NAMES


def _of(node: ast.AST) -> list[ast.expr | None]:
    """Return the keys of a dictionary, or the sides of a comparison."""
    if isinstance(node, ast.Dict):
        return list(node.keys)
    return [node.left, *node.comparators] if isinstance(node, ast.Compare) else []


def _places(source: str) -> Iterator[int]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict | ast.Compare) and any(map(_is_named, _of(node))):
            yield node.lineno


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("{Role.GROUP: 1}", [1]),
        ("x = [\n one.role is Role.GROUP]", [2]),
        ("Engine.KAFKA not in engines", [1]),
        ("call(role=Role.GROUP)\nkind is Kind.GROUP\n{role: 1 for role in Role}", []),
    ],
)
def test_keys_and_sides_of_comparisons_are_found(source: str, places: list[int]) -> None:
    assert list(_places(source)) == places


def test_no_role_or_engine_is_a_key_or_compared_outside_the_tables() -> None:
    files = chain.from_iterable((ROOT / folder).rglob("*.py") for folder in ("probe", "spark"))
    named = {path.relative_to(ROOT).as_posix(): path for path in files}
    found = {
        f"{name}:{line}" for name, path in named.items() if name not in TABLES for line in _places(path.read_text())
    }
    assert found == set()
