"""`probe check` of copies of a library's source: regressions are named by their cell, and harmless changes are none.

The changes are those of `benchmarks/regressions.py`, several in one copy, each of which concerns a cell of its own. The
cells are certain: whether a client repeats a refused record, or closes a connection that was cut, is no matter of
chance. The back-off of zero is left to the benchmark, since its cell takes 24 trials.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.regressions import CHANGES, CUT, PYTHON, REFUSED, Change, apply, source_of
from tests.support.command import command

pytestmark = pytest.mark.real
CELLS = (f"producer {REFUSED}", f"producer {CUT}")
SCOPE = ("--role", "producer", "--profile", "isolated", "--scenario", REFUSED, "--scenario", CUT)
REGRESSIONS = [one for one in CHANGES if one.family == PYTHON and one.cell in CELLS]
HARMLESS = [one for one in CHANGES if one.family == PYTHON and not one.cell]
CHECK_S = 1800
"""Two dozen trials of at most a minute, on a machine that may be busy."""


def checked(folder: Path, changes: list[Change]) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Check a copy with these changes in the cells of the regressions; return the code, the cells, the last line."""
    source = source_of(PYTHON, folder)
    for change in changes:
        apply(change, source)
    line = ["check", f"{PYTHON}@path:{source}", "--results", str(folder / "results"), "--json", *SCOPE]
    done = command(*line)
    assert done.stdout, done.stderr
    return done.returncode, {one["name"]: one for one in json.loads(done.stdout)["cells"]}, done.stderr.splitlines()[-1]


@pytest.mark.timeout(CHECK_S)
def test_a_dropped_code_and_an_open_connection_are_worse(tmp_path: Path) -> None:
    code, cells, said = checked(tmp_path, REGRESSIONS)

    answers = {name: one["answer"] for name, one in cells.items()}
    assert answers == {"producer steady": "same", **dict.fromkeys(CELLS, "worse")}
    assert cells[f"producer {REFUSED}"]["harm"] == "stops"
    assert code == 1
    assert "2 cells worse than in" in said


@pytest.mark.timeout(CHECK_S)
def test_a_log_line_a_rename_and_five_milliseconds_are_no_difference(tmp_path: Path) -> None:
    code, cells, _ = checked(tmp_path, HARMLESS)

    assert code == 0
    assert {one["answer"] for one in cells.values()} <= {"same", "undecided"}
