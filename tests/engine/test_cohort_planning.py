"""Which trials watch a fault together, in which order cohorts come, and how long they take."""

from __future__ import annotations

from itertools import groupby

from probe.model import Role, Target
from probe.planning.cohorts import (
    LONG_START_SHARE,
    MAX_COHORT,
    MAX_SILENCE_COHORT,
    cluster_layout,
    estimate_s,
    into_cohorts,
)
from probe.planning.plan import LONG_OBSERVATION_MS
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER
from tests.support.plans import planned, work


def test_cells_of_one_scenario_watch_together_and_control_cells_come_first() -> None:
    found = into_cohorts(work(planned("disk/storage-error")), MAX_COHORT)
    told = [(len(cohort), {one.item.cell.scenario for one in cohort}) for cohort in found]
    assert told == [(8, {"steady"}), (8, {"disk/storage-error"})]


def test_clients_of_a_leader_and_of_a_coordinator_watch_one_silence_and_see_other_faults_apart() -> None:
    def targets(scenario: str) -> set[frozenset[Target]]:
        cohorts = into_cohorts(work(planned(scenario, roles=list(Role))), MAX_SILENCE_COHORT)
        return {
            frozenset(one.item.expectation.target for one in cohort)
            for cohort in cohorts
            if not cohort[0].item.is_control
        }

    assert targets("broker/hang") == {frozenset({Target.LEADER, Target.COORDINATOR})}
    assert targets("broker/kill") == {frozenset({Target.LEADER}), frozenset({Target.COORDINATOR})}
    assert targets("bootstrap/addresses-changed") == {frozenset({Target.CLUSTER})}


def test_whatever_is_watched_together_is_broken_alike() -> None:
    for cohort in into_cohorts(work(planned("*", roles=list(Role))), MAX_SILENCE_COHORT):
        parts = [one.item.variant for one in cohort]
        assert (
            len(
                {
                    repr((part.steps, part.heal_after_ms, part.at_start, part.second_instance, part.cluster))
                    for part in parts
                }
            )
            == 1
        )
        assert len({one.item.expectation.election_ms for one in cohort}) == 1


def test_cohorts_are_no_larger_than_they_may_be_and_even() -> None:
    found = into_cohorts(work(planned("disk/storage-error")), 5)
    assert sorted(len(cohort) for cohort in found) == [4, 4, 4, 4]


def test_two_trials_of_a_cell_are_two_samples() -> None:
    for cohort in into_cohorts(work(planned("disk/storage-error", trials=3)), MAX_COHORT):
        assert len({one.item.cell for one in cohort}) == len(cohort)


def test_lines_do_not_share_clusters() -> None:
    for cohort in into_cohorts(work(planned("disk/storage-error", brokers=["3.9", "2.6"])), MAX_COHORT):
        assert len({one.item.cell.broker for one in cohort}) == 1


def test_with_many_cohorts_all_clusters_are_used() -> None:
    assert cluster_layout(work(planned("disk/storage-error")), 8, 3)[1] == 1
    assert cluster_layout(work(planned("*")), 8, 3)[1] == 3
    assert cluster_layout(work(planned("*")), 8, 1)[1] == 1


def test_long_cohorts_are_spread_among_the_first_and_clusters_that_are_built_alike_come_together() -> None:
    found, _ = cluster_layout(work(planned("*", "incident/rolling/*", brokers=["3.4"])), 8, 4)
    grounds = [cohort[0].item.variant.cluster for cohort in found]
    assert len(set(grounds)) > 1
    assert [ground for ground, _ in groupby(grounds)] == list(dict.fromkeys(grounds))
    usual = [
        max(one.item.expectation.watch_ms for one in cohort) >= LONG_OBSERVATION_MS
        for cohort in found
        if cohort[0].item.variant.cluster == DEFAULT_CLUSTER
    ]
    last = max(place for place, is_long in enumerate(usual) if is_long)
    assert last <= LONG_START_SHARE * len(usual)
    assert 0 < sum(usual[: last // 2]) <= sum(usual) - sum(usual[: last // 2]) + 2
    assert 0 < sum(usual) < len(usual) // 2


def test_a_plan_says_how_long_real_brokers_take() -> None:
    short, longer = planned("disk/storage-error"), planned("disk/storage-error", brokers=["3.9", "2.6"])
    assert 30 < estimate_s(short, 24, None) < estimate_s(longer, 24, None)
    assert estimate_s(short, 4, None) > estimate_s(short, 24, None)
