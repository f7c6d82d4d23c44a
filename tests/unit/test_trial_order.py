"""The order in which the trials of a run start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest

from probe.cli.wiring.run_selection import RunSelection
from probe.model import Client, Role
from probe.model.profile import OWN_DEFAULTS
from probe.planning.order import JOBS_PER_CLIENT, TrialOf, in_order
from probe.planning.paces import LONG_OBSERVATION_MS


def same_trials(some: Iterable[TrialOf], others: Iterable[TrialOf]) -> bool:
    """Return whether both have each planned cell with each number equally often."""
    one, other = (Counter((id(item), number) for item, number in work) for work in (some, others))
    return one == other


def observations(jobs: int) -> list[int | None]:
    """Return the order of 20 trials of some cells: None for control cells, 0 for short observations, else ms."""
    asked = RunSelection(
        clients=["sarama@1.43.3"], scenarios=["disk/*", "broker/*"], roles=[Role.PRODUCER], seed=1, trials=20
    )
    work = [(item, number) for number in range(20) for item in asked.whole()[0].cells]
    ordered = in_order(work, jobs)
    assert same_trials(work, ordered)
    return [
        None
        if item.cell == item.steady
        else item.expectation.watch_ms
        if item.expectation.watch_ms >= LONG_OBSERVATION_MS
        else 0
        for item, _ in ordered
    ]


def test_long_observations_are_spread_after_control_cells() -> None:
    order = observations(jobs=1)
    controls = order.count(None)  # one per workload and trial
    assert order[:controls] == [None] * controls
    others = [watch for watch in order if watch is not None]
    long = [place for place, watch in enumerate(others) if watch]
    lengths = [watch for watch in others if watch]
    assert lengths == sorted(lengths, reverse=True)
    gaps = [after - before for before, after in pairwise(long)]
    assert max(gaps) - min(gaps) <= 1
    assert len(others) * 0.5 < long[-1] < len(others) - 1


def test_a_short_run_starts_with_all_long_observations() -> None:
    others = [watch for watch in observations(jobs=100) if watch is not None]
    assert others[0] > LONG_OBSERVATION_MS
    assert others == sorted(others, reverse=True)


@pytest.fixture(scope="module")
def everything() -> list[TrialOf]:
    """All producer trials of the default catalogue, with long observations for a few versions only."""
    asked = RunSelection(clients=["all"], scenarios=["*"], roles=[Role.PRODUCER], seed=1, long_watches="core")
    return [(item, 1) for item in asked.whole()[0].cells]


@pytest.mark.parametrize("jobs", [8, 110])
def test_a_run_of_many_versions_plays_few_of_them_at_a_time(everything: list[TrialOf], jobs: int) -> None:
    """A driver that waits for its next trial uses memory and CPU."""
    ordered = in_order(everything, jobs)
    assert same_trials(everything, ordered)
    first, last = {}, {}
    for place, (item, _) in enumerate(ordered):
        first.setdefault(item.cell.client, place)
        last[item.cell.client] = place
    at_once = [sum(first[client] <= place <= last[client] for client in first) for place in range(0, len(ordered), 50)]
    assert len(first) > 100
    assert max(at_once) == max(4, jobs // JOBS_PER_CLIENT)


def test_each_version_starts_with_its_control_cells(everything: list[TrialOf]) -> None:
    others: set[Client] = set()
    for item, _ in in_order(everything, 110):
        control = item.cell == item.steady
        assert not (control and item.cell.client in others)
        others |= set() if control else {item.cell.client}


def test_each_version_ends_with_short_trials() -> None:
    """A run must not end with few long trials: a late group takes two minutes."""
    asked = RunSelection(clients=["kafkajs@2.2.0"], scenarios=["broker/*", "leader/*", "answer/*"], seed=1)
    ordered = [item for item, _ in in_order([(item, 1) for item in asked.whole()[0].cells], 1000)]
    others = [item for item in ordered if item.cell != item.steady and item.expectation.watch_ms < LONG_OBSERVATION_MS]
    groups = [place for place, item in enumerate(others) if item.cell.role is Role.GROUP]
    assert groups == list(range(len(groups)))
    for some in (others[: len(groups)], others[len(groups) :]):
        watches = [item.expectation.watch_ms for item in some]
        assert watches == sorted(watches, reverse=True)


def test_who_may_stand_still_until_a_limit_begins_before_shorter_trials() -> None:
    """One run holds a client's isolated settings, and its defaults, which are observed for a minute at most."""
    asked = RunSelection(
        clients=["sarama@1.43.3"],
        scenarios=["disk/storage-error", "net/blackhole"],
        roles=[Role.PRODUCER],
        profiles=["isolated", OWN_DEFAULTS],
    )
    items = [
        replace(item, at_most_ms=LONG_OBSERVATION_MS) if item.profile.name == OWN_DEFAULTS else item
        for item in asked.whole()[0].cells
    ]
    order = [f"{item.cell.scenario} {item.profile.name}" for item, _ in in_order([(item, 1) for item in items], 1000)]
    assert order[2:] == [
        "net/blackhole isolated",
        f"net/blackhole {OWN_DEFAULTS}",
        f"disk/storage-error {OWN_DEFAULTS}",
        "disk/storage-error isolated",
    ]
    assert {item.watch_ms() for item in items if item.cell.scenario == "net/blackhole"} > {LONG_OBSERVATION_MS}
    assert {item.limit_ms(1000) for item in items} == {1000}


def test_versions_with_long_observations_are_spread(everything: list[TrialOf]) -> None:
    ordered = in_order(everything, 110)
    long = [place for place, (item, _) in enumerate(ordered) if item.expectation.watch_ms >= LONG_OBSERVATION_MS]
    assert len({ordered[place][0].cell.client for place in long}) > 10
    assert long[0] < len(ordered) * 0.1
    assert long[-1] < len(ordered) * 0.98
    assert max(after - before for before, after in pairwise(long)) < len(ordered) * 0.2
