"""The size of cohorts follows the writes of earlier cohorts, as the relay measured them."""

from __future__ import annotations

from probe.model import EngineEvent, EngineKind, Event, History, Response, Row
from probe.protocol.apis import FETCH, PRODUCE
from probe.runner.schedule.cohort_size import (
    MAX_WRITE_MS,
    MIN_COHORT,
    QUICK_WRITE_MS,
    CohortSize,
    median_ms,
    saw_fault,
    writes_before_fault_ms,
)
from probe.runner.trial.pacing import STEADY_MS
from tests.support.histories import history

FAULT = 60_000_000


def answer(ended_ms: int, took_ms: int, api: int = PRODUCE, code: int = 0) -> Event:
    """Return an answer that was forwarded some time before the fault."""
    at = FAULT - ended_ms * 1000
    rows = (Row(topic="t", partition=0, code=code),)
    return Response(at=at, conn=1, broker=1, corr=1, api=api, version=8, sent_at=at - took_ms * 1000, rows=rows)


def observed(*events: Event) -> History:
    return History(history().header, events)


def fault_on() -> Event:
    return EngineEvent(at=FAULT, kind=EngineKind.FAULT_ON)


def test_only_acknowledged_writes_shortly_before_the_fault_count() -> None:
    recorded = observed(
        answer(STEADY_MS + 100, 5),
        answer(STEADY_MS - 2, 7),
        answer(500, 11),
        answer(400, 1000, FETCH),
        answer(300, 300, code=6),
        answer(200, 13),
        fault_on(),
        answer(-200, 17),
    )
    assert list(writes_before_fault_ms(recorded)) == [11, 13]
    assert saw_fault(recorded)


def test_a_trial_that_never_came_to_its_fault_shows_nothing() -> None:
    recorded = observed(answer(500, 11))
    assert not list(writes_before_fault_ms(recorded))
    assert not saw_fault(recorded)
    assert median_ms([]) is None


def test_slow_writes_make_later_cohorts_smaller_down_to_a_minimum() -> None:
    size = CohortSize(32)
    assert size.measured(32, MAX_WRITE_MS)
    assert 20 < size.cells < 32
    for _ in range(20):
        size.measured(size.cells, 1000.0)
    assert size.cells == MIN_COHORT
    assert not size.measured(MIN_COHORT, 1000.0)


def test_quick_writes_of_a_full_cohort_make_later_ones_larger_again() -> None:
    size = CohortSize(64)
    size.measured(64, 2 * MAX_WRITE_MS)
    assert size.cells < 32
    for _ in range(20):
        size.measured(size.cells, QUICK_WRITE_MS)
    assert size.cells == 64


def test_small_or_middling_or_readers_cohorts_change_nothing() -> None:
    size = CohortSize(32)
    assert not size.measured(8, 1.0)
    assert not size.measured(32, (MAX_WRITE_MS + QUICK_WRITE_MS) / 2)
    assert not size.measured(32, None)
    assert size.cells == 32


def test_a_small_cohort_with_slow_writes_lowers_the_limit_below_its_own_size() -> None:
    size = CohortSize(32)
    assert size.measured(20, MAX_WRITE_MS)
    assert size.cells < 20
