"""Facts that say how near a trial came to a bound."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import Facts, Limits, Reaction
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import NEW, STORAGE_ERROR
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    ask,
    at,
    fault_on,
    moved,
    produce_answer,
    tell,
    wait,
    watch,
)


def facts(*steps: Step, **more: object) -> Facts:
    return judge(history(*steps, watch(10_000), limits=Limits(back_off_ms=100), **more)).facts  # type: ignore[arg-type]  # by name


def announcement(at_ms: int, *hits_ms: int) -> tuple[Step, ...]:
    """A fault at 0, hits and the announcement at these times, then recovery."""
    events: list[tuple[int, tuple[Step, ...]]] = [(time, (produce_answer(56),)) for time in hits_ms]
    events.append((at_ms, (moved(), announced())))
    steps = [step for time, found in sorted(events, key=lambda one: one[0]) for step in (at(time), *found)]
    return (fault_on(), *steps, at(max(at_ms, *hits_ms) + 30), ask(), tell(NEW), acked(10))


@pytest.mark.parametrize(
    ("announced_ms", "hits_ms", "expected"),
    [
        (150, (140,), -10),
        (150, (160,), 10),
        (150, (10, 160), 10),
        (150, (10, 145, 300), -140),  # the one between these two does not count
        (150, (145, 290), -5),
        (5, (15,), None),  # the fault was not in force 10 ms before the announcement
    ],
)
def test_the_first_or_last_hit_is_measured_from_the_announcement(
    announced_ms: int, hits_ms: tuple[int, ...], expected: float | None
) -> None:
    found = facts(*announcement(announced_ms, *hits_ms)).announced_hit_ms
    assert found is None if expected is None else found == pytest.approx(expected, abs=3)


def test_where_no_discovery_is_expected_no_announcement_is_measured() -> None:
    assert facts(*announcement(150, 140), play=replace(STORAGE_ERROR, expects=Reaction.RETRY)).announced_hit_ms is None
    assert facts(fault_on(), moved(), announced(), acked(10)).announced_hit_ms is None  # nothing hit the client


@pytest.mark.parametrize(("count", "over", "storm"), [(2, -2, ""), (3, -1, ""), (4, 0, "a"), (6, 2, "a")])
def test_discoveries_are_measured_from_the_nearer_storm_bound(count: int, over: float, storm: str) -> None:
    asks = (step for _ in range(count + 1) for step in (ask(), tell(NEW), wait(950)))  # the first belongs to the hit
    found = facts(*announcement(150, 10), *asks, acked(10))
    assert (found.discoveries_over, found.storm) == (over, storm)


def test_many_discoveries_are_measured_from_the_bound_of_the_back_off() -> None:
    asks = (step for _ in range(33) for step in (ask(), wait(20)))
    found = facts(fault_on(), produce_answer(56), *asks)
    assert found.discoveries_over == 33 - (2 + 3000 / 100)
    assert "b" in found.storm


def test_time_in_which_brokers_kept_the_client_waiting_is_a_fact() -> None:
    plain = facts(*announcement(150, 140))
    assert plain.kept_ms is not None
    assert plain.recovery_ms is not None
    assert 0 <= plain.kept_ms < plain.recovery_ms
    assert facts(fault_on(), produce_answer(56)).kept_ms is None
