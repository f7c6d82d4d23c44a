"""The length of source files: one that is longer than a few screens has a reason, and none is very long."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("run.py", "probe/", "spark/", "go_shim/", "clients/", "proto/", "benchmarks/")
"""Tests may be longer than 250 lines: many short functions, read one by one."""
FOLDERS = ("probe", "spark", "go_shim", "clients", "proto", "benchmarks", "tests")
SUFFIXES = {".py", ".go", ".java", ".js", ".rs"}
SKIPPED = re.compile(r"_pb2|\.pb\.(go|rs)$|(^|/)(__pycache__|node_modules|build|\.venv)/")
ALLOWED_LINES, MOST_LINES = 250, 350
REASONS: dict[str, str] = tomllib.loads((ROOT / "tests" / "data" / "long_files.toml").read_text())
"""Path of a file over 250 lines: why it is one file."""


def lengths() -> dict[str, int]:
    """Return the number of lines of every source file, by its path."""
    paths = [ROOT / "run.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    named = [(str(path.relative_to(ROOT)), path) for path in paths if path.suffix in SUFFIXES and path.is_file()]
    return {name: len(path.read_text().splitlines()) for name, path in named if not SKIPPED.search(name)}


def test_no_file_is_longer_than_350_lines() -> None:
    assert {name: count for name, count in lengths().items() if count > MOST_LINES} == {}


def test_a_file_over_250_lines_has_a_reason() -> None:
    long = {name for name, count in lengths().items() if count > ALLOWED_LINES and name.startswith(SOURCES)}
    assert sorted(long - REASONS.keys()) == [], "split it, or give the reason in tests/data/long_files.toml"
    assert sorted(REASONS.keys() - long) == [], "no longer over 250 lines: remove it from tests/data/long_files.toml"
