"""A real broker holds a request that waits for replicas on a dead disk: the client meets the fault late."""

from __future__ import annotations

from typing import Any

from probe.model import History, Outcome
from probe.verdict import certain, judge
from tests.support.histories import history
from tests.support.transcript import NEW, OLD, PRODUCE, STORAGE_ERROR
from tests.support.transcript_steps import Step, acked, ask, at, call, failed, fault_on, row, tell
from tests.support.verdict_case import MOVE


def held(*steps: Step, **more: Any) -> History:
    """Return a history with a request that is sent as the disk dies and is not answered at once."""
    unanswered = call(PRODUCE, OLD, row(size=80), answer=None, acks=-1)
    return history(fault_on(), at(10), unanswered, *MOVE, *steps, play=STORAGE_ERROR, **more)


def test_observation_continues_until_a_held_answer_arrives() -> None:
    assert not certain(held(at(10_400), acked(1, broker=OLD), running=True))
    assert certain(held(at(46_000), acked(1, broker=OLD), running=True))


def test_a_client_that_meets_the_fault_late_gets_full_time() -> None:
    met = (at(10_005), failed(1), at(10_030), ask(), tell(NEW))
    assert not certain(held(*met, running=True))
    assert judge(held(*met, at(10_100), acked(60))).outcome is not Outcome.STUCK


def test_a_late_client_that_never_moves_is_stuck() -> None:
    assert judge(held(at(10_005), failed(150))).outcome is Outcome.STUCK
