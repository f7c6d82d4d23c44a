"""The first collection of a checkout's tests: one process makes the bytecode that every worker would make at once.

Pytest rewrites the assertions of each test file, and keeps the result by the path and the time of the file. In a fresh
clone no file has one, and workers that collect at the same time find none of each other's. Standard library only, for
run.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from probe.toolchain.setup_calls import SetupError, call

MANY = 0.25
"""Share of test files without bytecode from which on one process goes first."""


def is_wanted(arguments: Sequence[str], root: Path, bytecode: Path) -> bool:
    """Return whether all tests are asked for, and many of their files have no bytecode that is as new as they are."""
    if any(not item.startswith("-") or item in {"-k", "-m"} for item in arguments):
        return False
    files = list((root / "tests").rglob("test_*.py"))
    kept = bytecode / root.relative_to(root.anchor) / "tests"
    made = {path.relative_to(kept).with_suffix(""): path.stat().st_mtime for path in kept.rglob("*-pytest-*.pyc")}
    newest = {name.with_name(name.name.partition(".")[0]): at for name, at in made.items()}
    missing = [
        path for path in files if newest.get(path.relative_to(root / "tests").with_suffix(""), 0) < path.stat().st_mtime
    ]
    return len(missing) > MANY * len(files)


def collect(pytest: Path, env: Mapping[str, str]) -> None:
    """Collect all tests once. A failure is left to the run itself, which reports it."""
    argv = [str(pytest), "--collect-only", "-qq", "-p", "no:cacheprovider", "-n0"]
    try:
        call(argv, "", env=dict(env))
    except SetupError:
        return
