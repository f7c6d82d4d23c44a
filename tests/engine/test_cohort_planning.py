"""The division of trials into cohorts, the order of cohorts and the estimated duration."""

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
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER
from tests.support.plans import planned, work


def test_cells_of_one_scenario_share_a_cohort_after_control_cells() -> None:
    found = into_cohorts(work(planned("disk/storage-error")), MAX_COHORT)
    sizes = [(len(cohort), {one.item.cell.scenario for one in cohort}) for cohort in found]
    assert sizes == [(8, {"steady"}), (8, {"disk/storage-error"})]


def test_leader_and_coordinator_cells_share_only_silent_faults() -> None:
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


def test_cells_of_one_cohort_have_the_same_fault() -> None:
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


def test_cohorts_respect_the_maximum_and_are_even() -> None:
    found = into_cohorts(work(planned("disk/storage-error")), 5)
    assert sorted(len(cohort) for cohort in found) == [4, 4, 4, 4]


def test_trials_of_one_cell_are_in_different_cohorts() -> None:
    for cohort in into_cohorts(work(planned("disk/storage-error", trials=3)), MAX_COHORT):
        assert len({one.item.cell for one in cohort}) == len(cohort)


def test_release_lines_do_not_share_cohorts() -> None:
    for cohort in into_cohorts(work(planned("disk/storage-error", brokers=["3.9", "2.6"])), MAX_COHORT):
        assert len({one.item.cell.broker for one in cohort}) == 1


def test_many_cohorts_use_all_clusters() -> None:
    assert cluster_layout(work(planned("disk/storage-error")), 8, 3)[1] == 1
    assert cluster_layout(work(planned("*")), 8, 3)[1] == 3
    assert cluster_layout(work(planned("*")), 8, 1)[1] == 1


def test_long_cohorts_start_early_and_equal_specs_are_adjacent() -> None:
    found, _ = cluster_layout(work(planned("*", "incident/rolling/*", brokers=["3.4"])), 8, 4)
    specs = [cohort[0].item.variant.cluster for cohort in found]
    assert len(set(specs)) > 1
    assert [spec for spec, _ in groupby(specs)] == list(dict.fromkeys(specs))
    usual = [
        max(one.item.expectation.watch_ms for one in cohort) >= LONG_OBSERVATION_MS
        for cohort in found
        if cohort[0].item.variant.cluster == DEFAULT_CLUSTER
    ]
    last = max(place for place, is_long in enumerate(usual) if is_long)
    assert last <= LONG_START_SHARE * len(usual)
    assert 0 < sum(usual[: last // 2]) <= sum(usual) - sum(usual[: last // 2]) + 2
    assert 0 < sum(usual) < len(usual) // 2


def test_a_plan_estimates_the_time_on_real_brokers() -> None:
    short, longer = planned("disk/storage-error"), planned("disk/storage-error", brokers=["3.9", "2.6"])
    assert 30 < estimate_s(short, 24, None) < estimate_s(longer, 24, None)
    assert estimate_s(short, 4, None) > estimate_s(short, 24, None)
