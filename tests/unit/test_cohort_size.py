"""The size of cohorts follows the writes before the fault, as the relay measured them."""

from __future__ import annotations

import pytest

from probe.errors import CrowdedError
from probe.model import Event, History, Response, Row
from probe.model.clock import now_us
from probe.protocol.apis import FETCH, PRODUCE
from probe.runner.schedule.cohort_size import (
    MAX_WRITE_MS,
    MIN_COHORT,
    QUICK_WRITE_MS,
    CohortCheck,
    CohortSize,
    median_ms,
    writes_before_ms,
)
from probe.runner.trial.pacing import STEADY_MS
from tests.support.histories import history
from tests.support.plans import planned

FAULT = 60_000_000


def answer(ended_ms: int, took_ms: float, api: int = PRODUCE, code: int = 0, before: int = FAULT) -> Event:
    """Return an answer that was forwarded some time before the fault."""
    at = before - ended_ms * 1000
    rows = (Row(topic="t", partition=0, code=code),)
    return Response(at=at, conn=1, broker=1, corr=1, api=api, version=8, sent_at=at - int(took_ms * 1000), rows=rows)


def observed(*events: Event) -> History:
    return History(history().header, events)


def checked(cells: int, took_ms: float | None) -> CohortCheck:
    """Return the check of a cohort, measured, whose cells wrote once each; with None they only read."""
    check = CohortCheck()
    api, took_ms = (FETCH, 1.0) if took_ms is None else (PRODUCE, took_ms)
    for _ in range(cells):
        check.ready(lambda: observed(answer(500, took_ms, api, before=now_us())))
    check.before_fault()
    return check


def test_only_acknowledged_writes_shortly_before_the_fault_count() -> None:
    recorded = observed(
        answer(STEADY_MS + 100, 5),
        answer(STEADY_MS - 2, 7),
        answer(500, 11),
        answer(400, 1000, FETCH),
        answer(300, 300, code=6),
        answer(200, 13),
        answer(-200, 17),
    )
    assert sorted(writes_before_ms(recorded, FAULT)) == [7, 11, 13]
    assert median_ms([]) is None


def test_a_cohort_with_slow_writes_is_given_back() -> None:
    check = CohortCheck()
    for _ in range(MIN_COHORT + 1):
        check.ready(lambda: observed(answer(500, MAX_WRITE_MS, before=now_us())))
    with pytest.raises(CrowdedError, match=r"writes took 50.0 ms with 9 cells"):
        check.before_fault()
    load = check.load(planned("disk/storage-error").cells[0])
    assert load is not None
    assert (load.cells, load.writes, load.median_write_ms, load.given_back) == (9, 9, MAX_WRITE_MS, True)


@pytest.mark.parametrize(
    ("cells", "took_ms"), [(MIN_COHORT, 10 * MAX_WRITE_MS), (64, MAX_WRITE_MS - 0.1), (64, None)], ids=str
)
def test_a_smallest_or_quick_or_readers_cohort_is_played(cells: int, took_ms: float | None) -> None:
    load = checked(cells, took_ms).load(planned("disk/storage-error").cells[0])
    assert load is not None
    assert (load.cells, load.median_write_ms, load.given_back) == (cells, took_ms, False)


def test_a_cohort_is_measured_at_its_first_fault_only() -> None:
    check = checked(MIN_COHORT, 5.0)
    for _ in range(MIN_COHORT + 1):
        check.ready(lambda: observed(answer(500, 1000, before=now_us())))
    check.before_fault()
    assert (check.cells, check.given_back) == (MIN_COHORT, False)


def test_a_cohort_that_never_came_to_its_fault_shows_nothing() -> None:
    check = CohortCheck()
    check.ready(observed)
    assert check.load(planned("disk/storage-error").cells[0]) is None


def test_the_first_cohorts_are_smaller_than_the_largest() -> None:
    assert CohortSize(72, 32).cells == 32
    assert CohortSize(8, 32).cells == 8


def test_slow_writes_make_later_cohorts_smaller_down_to_a_minimum() -> None:
    size = CohortSize(32, 32)
    assert size.measured(32, MAX_WRITE_MS)
    assert size.cells == 16
    for _ in range(20):
        size.measured(size.cells, 1000.0)
    assert size.cells == MIN_COHORT
    assert not size.measured(MIN_COHORT, 1000.0)


def test_quick_writes_of_a_full_cohort_make_later_ones_larger() -> None:
    size = CohortSize(64, 32)
    size.measured(32, 2 * MAX_WRITE_MS)
    assert size.cells < 32
    for _ in range(20):
        size.measured(size.cells, QUICK_WRITE_MS)
    assert size.cells == 64


def test_small_or_middling_or_readers_cohorts_change_nothing() -> None:
    size = CohortSize(64, 32)
    assert not size.measured(8, 1.0)
    assert not size.measured(32, (MAX_WRITE_MS + QUICK_WRITE_MS) / 2)
    assert not size.measured(32, None)
    assert size.cells == 32


def test_a_small_cohort_with_slow_writes_lowers_the_limit_below_its_own_size() -> None:
    size = CohortSize(32, 32)
    assert size.measured(20, MAX_WRITE_MS)
    assert size.cells < 20
