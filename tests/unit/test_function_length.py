"""The length of functions: one that is longer than a screen is several."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("probe", "spark", "clients", "benchmarks", "tests")
SKIPPED = {"__pycache__", "node_modules", "build", ".venv"}
MOST_LINES = 60
OPTIONS = "Annotated"
BLOCK = r"(?!(?:case|catch|else|for|if|new|return|switch|throw|while)\b)"
LANGUAGES = {
    ".go": re.compile(r"()func "),
    ".rs": re.compile(r"(\s*)(?:pub(?:\(\w+\))? )?(?:const |async |unsafe )*fn "),
    ".java": re.compile(rf"( {{4,}})(?:@\w+ )*{BLOCK}(?:[\w<>\[\], ?.]+ )?{BLOCK}\w+\([^;]*$"),
    ".js": re.compile(
        r"(\s*)(?:export )?(?:default )?(?:(?:static )?(?:async )?"
        rf"(?:function\*? ?\w*|(?:get |set |[*#])?{BLOCK}[\w$]+)\([^;]*\{{$"
        r"|const \w+ = (?:async )?(?:\([^;]*\)|\w+) => \{$)"
    ),
}
"""The first line of a function by suffix; group 1 is its indentation. The formatters put the last brace below it."""
GENERATED = re.compile(r"\.pb\.(?:go|rs)$")
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


def other_functions(suffix: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (first line, number of lines) of the functions in a file of Go, Rust, Java or JavaScript."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if (found := LANGUAGES[suffix].match(line)) and not line.endswith(("}", ";", ",")):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith(found[1] + "}")), at)
            yield at + 1, end - at + 1


def test_no_function_of_another_language_is_longer_than_60_lines() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    long = [
        f"{name}:{line}: {count}"
        for name in listed.stdout.splitlines()
        if (suffix := Path(name).suffix) in LANGUAGES and not GENERATED.search(name) and (ROOT / name).is_file()
        for line, count in other_functions(suffix, (ROOT / name).read_text())
        if count > MOST_LINES
    ]
    assert long == []


@pytest.mark.parametrize(
    ("suffix", "text", "found"),
    [
        (".go", "func one() {\n\tif a {\n\t}\n}\n\nfunc (o *one) two() { <-o.free }\n", [(1, 4)]),
        (".rs", "impl A {\n    pub async fn one(\n        a: i32,\n    ) -> i32 {\n        a\n    }\n}\n", [(2, 5)]),
        (".java", "class A {\n    void one() {\n        if (a) {\n            b();\n        }\n    }\n}\n", [(2, 5)]),
        (".js", "class A {\n  async one(a) {\n    if (a) {\n      b();\n    }\n  }\n}\n", [(2, 5)]),
        (".js", "export function one() {\n  two();\n}\nconst three = (a) => {\n  a();\n};\n", [(1, 3), (4, 3)]),
    ],
)
def test_functions_of_other_languages_are_measured(suffix: str, text: str, found: list[tuple[int, int]]) -> None:
    assert list(other_functions(suffix, text)) == found


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
