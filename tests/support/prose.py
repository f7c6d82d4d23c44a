"""Prose of the repository: docstrings, comments, messages, test names and documents, with the words that it avoids.

`python -m tests.support.prose` lowers both stored counts to what is there now.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
COUNTS = Path(__file__).with_name("prose_counts.json")
OPENINGS = Path(__file__).with_name("docstring_openings.json")
WORDS = ("told", "whoever", "so many", "so long", "at the most", "nobody's")
PATTERN = re.compile(r"\b(?:" + "|".join(word.replace(" ", r"\s+") for word in WORDS) + r")\b", re.IGNORECASE)
FREE = re.compile(r"\s*(?:What|How|Whose|Where)\b")
"""A docstring that begins so names no thing: "What trials sent" are the requests of trials."""
GENERATED = re.compile(r"_pb2|\.pb\.(go|rs)$|^docs/schema/|^uv\.lock$|go\.sum$|Cargo\.lock$|prose_counts|retired_names")
CODE = {".go", ".rs", ".java", ".js", ".mjs", ".c", ".css", ".proto"}
COMMENT = re.compile(r"(?<![:\w])//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)*\'')
HASH = {".toml", ".yml", ".yaml", ".sh", ""}
IDENTIFIER = re.compile(r"^[\w./:*?@+=-]*$")


class Piece(NamedTuple):
    """A piece of prose."""

    line: int
    kind: str
    """`docstring`, `comment`, `message`, `name` (of a test) or `document`."""
    text: str


@cache
def files() -> list[Path]:
    """Return the tracked text files whose prose is ours, relative to the root."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    kinds = CODE | HASH | {".py", ".md", ".html"}
    found = [Path(name) for name in listed.stdout.splitlines() if not GENERATED.search(name)]
    return [path for path in found if path.suffix in kinds and (ROOT / path).is_file()]


@cache
def prose(path: Path) -> list[Piece]:
    """Return the pieces of prose in a file (relative to the root)."""
    text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".py":
        return [*_python(text), *_python_comments(text)]
    if path.suffix in CODE:
        return list(_code(text))
    if path.suffix in HASH:
        lines = enumerate(text.splitlines(), 1)
        return [Piece(n, "comment", line.partition("#")[2]) for n, line in lines if "#" in line]
    return [Piece(n, "document", line) for n, line in enumerate(text.splitlines(), 1)]


def _python(text: str) -> Iterator[Piece]:
    tree = ast.parse(text)
    documented = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in documented:
                yield Piece(node.lineno, "docstring", node.value)
            elif not IDENTIFIER.match(node.value):
                yield Piece(node.lineno, "message", node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield Piece(node.lineno, "name", node.name.replace("_", " "))


def _python_comments(text: str) -> Iterator[Piece]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield Piece(token.start[0], "comment", token.string)


def _code(text: str) -> Iterator[Piece]:
    for found in COMMENT.finditer(text):
        yield Piece(text.count("\n", 0, found.start()) + 1, "comment", found[0])
    bare = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    for found in STRING.finditer(bare):
        if " " in found[0]:
            yield Piece(bare.count("\n", 0, found.start()) + 1, "message", found[0])
    for name in re.finditer(r"\bfunc (Test\w+)", text):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name[1])
        yield Piece(text.count("\n", 0, name.start()) + 1, "name", words)


def avoided(piece: Piece) -> list[str]:
    """Return the avoided words in a piece of prose."""
    return [" ".join(word.lower().split()) for word in PATTERN.findall(piece.text)]


@cache
def counts() -> dict[str, int]:
    """Count avoided words per file, files without any left out."""
    found = {str(path): sum(len(avoided(piece)) for piece in prose(path)) for path in files()}
    return {path: number for path, number in sorted(found.items()) if number}


@cache
def openings() -> dict[str, int]:
    """Count docstrings that begin with a free What, How, Whose or Where per file, files without any left out."""
    found = {
        str(path): sum(piece.kind == "docstring" and FREE.match(piece.text) is not None for piece in prose(path))
        for path in files()
    }
    return {path: number for path, number in sorted(found.items()) if number}


if __name__ == "__main__":
    OPENINGS.write_text(json.dumps(openings(), indent=1) + "\n")
    COUNTS.write_text(json.dumps(counts(), indent=1) + "\n")
