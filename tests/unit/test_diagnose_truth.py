"""The right statement about a part of a trial, as the benchmark of the diagnosis takes it from the verdict."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from probe.diagnose.findings import Status
from probe.model import History, Outcome
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import ZERO
from tests.support.transcript_steps import acked, announced, ask, failed, fault_on, moved, tell, wait, watch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from diagnose_truth import WORKS, right_within

SECOND = 1_000_000
QUESTIONS = (ask(), tell()) * 60
STORM = history(fault_on(), failed(1), moved(), announced(), *QUESTIONS, wait(500), acked(60), watch(10_000))
SILENT = history(fault_on(), failed(1), moved(), announced(), watch(14_000))
STUCK = history(fault_on(), failed(1), moved(), announced(), failed(120), watch(14_000))


def within(trial: History, begin_s: float, end_s: float) -> frozenset[Status]:
    """Return the right statuses about the time between two seconds after the fault."""
    found: frozenset[Status] = right_within(
        judge(trial), trial, ZERO + round(begin_s * SECOND), ZERO + round(end_s * SECOND)
    )
    return found


def test_a_storm_counts_where_the_part_has_it() -> None:
    assert judge(STORM).outcome is Outcome.STORMS
    assert within(STORM, -1, 9) == {Status.STORMS}
    assert within(STORM, 3, 9) == WORKS


@pytest.mark.parametrize(("trial", "works"), [(SILENT, True), (STUCK, False)])
def test_who_sends_nothing_about_the_object_is_what_it_is_with_others(trial: History, works: bool) -> None:
    assert judge(trial).outcome is Outcome.STUCK
    assert (within(trial, 2, 12) >= WORKS) is works
    assert Status.STUCK in within(trial, 2, 12)
    assert not within(trial, -1, 12) & WORKS
