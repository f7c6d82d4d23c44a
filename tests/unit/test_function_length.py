"""The length of functions: one that is longer than a screen is several."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("probe", "spark", "clients", "benchmarks", "tests")
SKIPPED = {"__pycache__", "node_modules", "build", ".venv"}
MOST_LINES = 60
OPTIONS = "Annotated"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(text: str) -> Iterator[Function]:
    """Yield the functions and methods of a file, inner ones too."""
    yield from (node for node in ast.walk(ast.parse(text)) if isinstance(node, Function))


def lines_of(function: Function) -> int:
    """Return the number of lines of a function; of one that declares options, those after the options."""
    declared = function.args.args + function.args.kwonlyargs
    options = any(one.annotation is not None and OPTIONS in ast.unparse(one.annotation) for one in declared)
    first = function.body[0] if options else function
    return (function.end_lineno or 0) - first.lineno + 1


def sources() -> Iterator[Path]:
    yield ROOT / "run.py"
    for folder in FOLDERS:
        found = sorted((ROOT / folder).rglob("*.py"))
        yield from (path for path in found if not SKIPPED & set(path.parts) and "_pb2" not in path.name)


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}: {lines_of(function)}"
        for path in sources()
        for function in functions(path.read_text())
        if lines_of(function) > MOST_LINES
    ]
    assert long == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("def one():\n    pass\n", 2),
        ("async def one():\n    def two():\n        pass\n    await two()\n", 4),
        ("def one(a: Annotated[\n    int,\n    3,\n], b: int):\n    pass\n    return\n", 2),
        ("def one(a: tuple[\n    int,\n    str,\n]):\n    pass\n", 5),
    ],
)
def test_declared_options_do_not_count(text: str, lines: int) -> None:
    assert lines_of(next(functions(text))) == lines
