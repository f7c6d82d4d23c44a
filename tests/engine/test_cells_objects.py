"""Real clients under faults of objects and APIs: the fault reaches the wire and decides the verdict."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from probe.model import History, Outcome, Role, Verdict
from probe.planning.plan import Planned
from probe.runner.trial.warm_up import WARM_S
from tests.support.real_cells import planned, play

pytestmark = pytest.mark.real

SARAMA, PYTHON = "sarama@1.61.1", "kafka-python@3.0.12"
EXPECTED = {
    (PYTHON, "coordinator/moved", "group"): (Outcome.REFRESHES, {16}),
    (SARAMA, "coordinator/loading", "transactional"): (Outcome.RIDES, {14}),
    (PYTHON, "coordinator/gone", "transactional"): (Outcome.RIDES, {15}),
    (SARAMA, "metadata/stale", "consumer"): (Outcome.REFRESHES, {6}),
    (PYTHON, "metadata/leaderless", "producer"): (Outcome.RIDES, {6, 5}),
    (PYTHON, "topic/recreated", "producer"): (Outcome.REFRESHES, {3}),
    (SARAMA, "topic/recreated", "consumer"): (Outcome.FATAL, {1}),
    (SARAMA, "topic/replaced", "consumer"): (Outcome.VIOLATES, {3}),
    (PYTHON, "topic/absent", "producer"): (Outcome.REFRESHES, {3}),
    (PYTHON, "topic/too-few-replicas", "producer"): (Outcome.RIDES, {19}),
    (PYTHON, "blip/join-group/GROUP_AUTHORIZATION_FAILED", "group"): (Outcome.SURFACES, {30}),
    (SARAMA, "answer/heartbeat/NOT_COORDINATOR", "group"): (Outcome.REFRESHES, {16}),
    (SARAMA, "blip/end-txn/INVALID_TXN_STATE", "transactional"): (Outcome.FATAL, {48}),
    (SARAMA, "hold/init-producer-id/CONCURRENT_TRANSACTIONS", "transactional"): (Outcome.RIDES, {51}),
    (SARAMA, "answer/init-producer-id/NOT_COORDINATOR", "transactional"): (Outcome.REFRESHES, {16}),
}
"""Outcome and error codes that follow from the sources of these versions."""
Played = tuple[History, Verdict]


@pytest.fixture(scope="module")
def played() -> Mapping[tuple[str, str, str], Played]:
    """Run all cells at the same time; run again those in which the harness failed."""
    cells: dict[tuple[str, str, str], Planned] = {key: planned(key[0], key[1], Role(key[2])) for key in EXPECTED}
    found: dict[tuple[str, str, str], Played] = {}
    for _ in range(3):
        left = [key for key in cells if key not in found or found[key][1].outcome is Outcome.BROKEN]
        if left:
            found.update(zip(left, play([cells[key] for key in left]), strict=True))
    return found


@pytest.mark.parametrize("key", EXPECTED, ids="-".join)
def test_the_fault_hits_and_the_outcome_is_as_expected(
    played: Mapping[tuple[str, str, str], Played], key: tuple[str, str, str]
) -> None:
    outcome, codes = EXPECTED[key]
    _, verdict = played[key]
    assert verdict.outcome is outcome, verdict.reason
    assert set(verdict.facts.fault_codes) & codes, verdict.facts


def test_a_start_under_the_fault_skips_the_full_warm_up(
    played: Mapping[tuple[str, str, str], Played],
) -> None:
    """Such a trial has no bystander, so the warm-up must not wait for one."""
    starting = [history for (_, scenario, _), (history, _) in played.items() if "init-producer-id" in scenario]
    assert len(starting) == 2
    for history in starting:
        assert not history.header.subject.bystander_instance
        assert history.header.watched_ms < WARM_S * 1000 / 2


def test_the_bystander_of_a_coordinator_fault_is_unaffected(played: Mapping[tuple[str, str, str], Played]) -> None:
    for (_, scenario, _), (history, verdict) in played.items():
        if history.header.subject.bystander_instance:
            assert verdict.facts.bystander_errors == 0, scenario
            assert verdict.facts.bystander_gap_ms is not None, scenario
            assert verdict.facts.bystander_gap_ms < 2500, scenario
