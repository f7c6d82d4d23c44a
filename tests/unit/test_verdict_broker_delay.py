"""A real broker keeps a request that waits for replicas on a dead disk: the fault meets such a client late."""

from __future__ import annotations

from typing import Any

from probe.model import History, Outcome
from probe.verdict import certain, judge
from tests.support.histories import history
from tests.support.transcript import NEW, OLD, PRODUCE, STORAGE_ERROR
from tests.support.transcript_steps import Step, acked, announced, ask, at, call, failed, fault_on, moved, row, tell

MOVE: tuple[Step, ...] = (at(150), moved(), at(180), announced())


def kept(*steps: Step, **more: Any) -> History:
    """A request is sent as the disk dies, and not answered at once."""
    unanswered = call(PRODUCE, OLD, row(size=80), answer=None, acks=-1)
    return history(fault_on(), at(10), unanswered, *MOVE, *steps, play=STORAGE_ERROR, **more)


def test_who_waits_for_an_answer_is_watched_until_it_comes() -> None:
    assert not certain(kept(at(10_400), acked(1, broker=OLD), running=True))
    assert certain(kept(at(46_000), acked(1, broker=OLD), running=True))


def test_who_met_the_fault_late_is_given_as_long_as_others() -> None:
    met = (at(10_005), failed(1), at(10_030), ask(), tell(NEW))
    assert not certain(kept(*met, running=True))
    assert judge(kept(*met, at(10_100), acked(60))).outcome is not Outcome.STUCK


def test_who_met_it_late_and_never_moves_is_stuck_all_the_same() -> None:
    assert judge(kept(at(10_005), failed(150))).outcome is Outcome.STUCK
