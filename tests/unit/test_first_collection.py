"""The first collection of a fresh clone's tests: by one process, which makes what all workers read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from probe.toolchain import first_collection

NAMES = ("tests/unit/test_a.py", "tests/unit/test_b.py", "tests/engine/test_a.py", "tests/engine/test_b.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in NAMES:
        path = tmp_path / "clone" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path / "clone"


def keep(root: Path, bytecode: Path, *names: str) -> None:
    """Make bytecode of these files as pytest names it, a second newer than they are."""
    for name in names:
        source = root / name
        path = bytecode / source.relative_to("/").with_name(f"{source.stem}.cpython-311-pytest-9.0.2.pyc")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        at = source.stat().st_mtime + 1
        os.utime(path, (at, at))


def test_a_clone_without_bytecode_is_collected_once(root: Path, tmp_path: Path) -> None:
    assert first_collection.is_wanted([], root, tmp_path / "none")
    assert first_collection.is_wanted(["--quick", "-x"], root, tmp_path / "none")


@pytest.mark.parametrize("arguments", [["tests/unit/test_a.py"], ["-k", "name"], ["-m", "real"], ["--quick", "tests"]])
def test_a_part_of_the_tests_is_not(root: Path, tmp_path: Path, arguments: list[str]) -> None:
    assert not first_collection.is_wanted(arguments, root, tmp_path / "none")


def test_bytecode_as_new_as_its_file_is_enough(root: Path, tmp_path: Path) -> None:
    keep(root, tmp_path / "kept", *NAMES)
    assert not first_collection.is_wanted([], root, tmp_path / "kept")


def test_a_new_clone_in_the_place_of_an_older_one_is_collected(root: Path, tmp_path: Path) -> None:
    keep(root, tmp_path / "kept", *NAMES)
    for name in NAMES:
        at = (root / name).stat().st_mtime + 60
        os.utime(root / name, (at, at))
    assert first_collection.is_wanted([], root, tmp_path / "kept")


def test_few_new_files_are_left_to_the_workers(root: Path, tmp_path: Path) -> None:
    keep(root, tmp_path / "kept", *NAMES[1:])
    assert not first_collection.is_wanted([], root, tmp_path / "kept")


@pytest.mark.parametrize("code", [0, 1])
def test_the_run_itself_reports_what_cannot_be_collected(tmp_path: Path, code: int) -> None:
    program = tmp_path / "pytest"
    program.write_text(f'#!/bin/sh\necho "$@" "$KEPT" > "{tmp_path}/called"\nexit {code}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    first_collection.collect(program, {"KEPT": "here"})
    assert (tmp_path / "called").read_text() == "--collect-only -qq -p no:cacheprovider -n0 here\n"
