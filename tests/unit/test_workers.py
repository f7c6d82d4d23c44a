"""Distribution of the tests over processes: the tests of a file, which share its fixtures, run in one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file that every process of this test run can write."""
    return tmp_path_factory.getbasetemp().parent / f"workers-{os.environ.get('PYTEST_XDIST_TESTRUNUID', 'alone')}"


@pytest.mark.parametrize("number", range(8))
def test_the_tests_of_a_file_run_in_one_process(number: int, seen: Path) -> None:
    """Dealt out one by one, eight in a row go to several processes."""
    with seen.open("a") as file:
        file.write(f"{os.getpid()}\n")
    assert {*seen.read_text().split()} == {str(os.getpid())}, number
