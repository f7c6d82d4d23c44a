"""The checks that follow a fault find what is wrong, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.faults.checks import MAX_MESSAGE, Outcomes, findings
from tests.support.faults.observation import Ended, Observed

CELL, OTHER = "sarama@1.43.2 producer disk/storage-error", "sarama@1.43.2 producer steady"
CALM: Outcomes = {CELL: frozenset({"stuck"}), OTHER: frozenset({"clean"})}
HAD: Outcomes = {CELL: frozenset({"stuck", "broken"}), OTHER: frozenset({"clean"})}
RUN = Ended("run", 130, "probe: interrupted; continue with `probe run --resume R`\n", codes=frozenset({0, 130}))
FINE = Observed(commands=(RUN, Ended("run --resume", 0)), outcomes=HAD, final=CALM)


def of(ended: Ended) -> list[str]:
    return findings(replace(FINE, commands=(ended,)), CALM)


def test_a_round_that_went_well_has_no_findings() -> None:
    assert findings(FINE, CALM) == []


def test_a_command_that_hangs_is_found() -> None:
    assert of(replace(RUN, code=None)) == ["run: did not end"]


def test_an_exit_code_that_is_not_documented_is_found() -> None:
    (line,) = of(replace(RUN, code=1))
    assert line.startswith("run: exit code 1, not 0 or 130: probe: interrupted")


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ("Traceback (most recent call last):\nprobe: it failed; try again", "Traceback"),
        ("KeyboardInterrupt", "its last line is no message"),
        ("", "its last line is no message: ''"),
        ("probe: it failed", "no way out"),
        (f"probe: it failed; {'x' * MAX_MESSAGE}", "characters"),
    ],
)
def test_a_failure_without_one_line_and_a_way_out_is_found(errors: str, words: str) -> None:
    (line,) = of(Ended("run", 3, errors, codes=frozenset({3})))
    assert words in line


def test_a_complaint_of_python_is_found_in_a_command_that_ended_well() -> None:
    (line,) = of(Ended("run", 0, "Exception ignored in: <function>\n4 cells judged in 8 s"))
    assert "Exception ignored" in line


def test_a_killed_command_says_nothing() -> None:
    assert of(Ended("run", -9, codes=frozenset({-9}))) == []


@pytest.mark.parametrize(
    ("left", "line"),
    [
        (Observed(temporary=("tmpx",)), "temporary file left: tmpx"),
        (Observed(half_written=(".a.77",)), "half-written file left: .a.77"),
        (Observed(mounts=("/x",)), "mount left: /x"),
        (Observed(locks=("runs.lock",)), "lock left: runs.lock"),
        (Observed(commands=(Ended("run", 0, processes={7: "driver"}),)), "run: process left: driver"),
        (Observed(unreadable=("x: bad",)), "cannot be read: x: bad"),
    ],
)
def test_whatever_is_left_is_found(left: Observed, line: str) -> None:
    assert findings(left, {}) == [line]


def test_an_outcome_that_no_calm_trial_had_is_found() -> None:
    seen = replace(FINE, outcomes={**HAD, OTHER: frozenset({"clean", "storms"})})
    assert findings(seen, CALM) == [f"{OTHER}: storms, calm trials had clean"]


@pytest.mark.parametrize("final", [{}, {OTHER: frozenset({"broken"})}])
def test_a_cell_that_is_not_completed_is_found(final: Outcomes) -> None:
    lines = findings(replace(FINE, final={CELL: frozenset({"stuck"}), **final}), CALM)
    assert len(lines) == 1
    assert lines[0].startswith(f"{OTHER}: {'broken' if final else 'no trial'} after --resume")
