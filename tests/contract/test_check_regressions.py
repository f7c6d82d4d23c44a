"""`probe check` of copies of a library's source: regressions are named by their cell, and harmless changes are none.

The changes are those of `benchmarks/regressions.py`, several in one copy, each of which concerns a cell of its own. The
cells are certain: whether a client repeats a refused record, or closes a connection that was cut, is no matter of
chance. The back-off of zero is left to the benchmark, since its cell takes 24 trials.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.regressions import CHANGES, CUT, PYTHON, REFUSED, Change, Checked, apply, checked, source_of

pytestmark = pytest.mark.real
CELLS = (f"producer {REFUSED}", f"producer {CUT}")
SCOPE = ("--role", "producer", "--profile", "isolated", "--scenario", REFUSED, "--scenario", CUT)
REGRESSIONS = [one for one in CHANGES if one.family == PYTHON and one.cell in CELLS]
HARMLESS = [one for one in CHANGES if one.family == PYTHON and not one.cell]
CHECK_S = 1800
"""Two dozen trials of at most a minute, on a machine that may be busy."""


def changed(folder: Path, changes: list[Change]) -> Checked:
    """Check a copy of the library with these changes, in the cells of the regressions."""
    source = source_of(PYTHON, folder)
    for change in changes:
        apply(change, source)
    return checked(PYTHON, source, folder / "results", SCOPE)


@pytest.mark.timeout(CHECK_S)
def test_a_dropped_code_and_an_open_connection_are_worse(tmp_path: Path) -> None:
    found = changed(tmp_path, REGRESSIONS)

    answers = {name: one["answer"] for name, one in found.cells.items()}
    assert answers == {"producer steady": "same", **dict.fromkeys(CELLS, "worse")}
    assert found.cells[f"producer {REFUSED}"]["harm"] == "stops"
    assert found.code == 1
    assert "2 cells worse than in" in found.said


@pytest.mark.timeout(CHECK_S)
def test_a_log_line_a_rename_and_five_milliseconds_are_no_difference(tmp_path: Path) -> None:
    found = changed(tmp_path, HARMLESS)

    assert found.code == 0
    assert {one["answer"] for one in found.cells.values()} <= {"same", "undecided"}
