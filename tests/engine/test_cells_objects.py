"""Objects and APIs fail under real clients: what the scenario says reaches the wire, and the verdict tells it."""

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
    (PYTHON, "topic/too-few-replicas", "producer"): (Outcome.RIDES, {19}),
    (PYTHON, "blip/join-group/GROUP_AUTHORIZATION_FAILED", "group"): (Outcome.SURFACES, {30}),
    (SARAMA, "answer/heartbeat/NOT_COORDINATOR", "group"): (Outcome.REFRESHES, {16}),
    (SARAMA, "blip/end-txn/INVALID_TXN_STATE", "transactional"): (Outcome.FATAL, {48}),
    (SARAMA, "hold/init-producer-id/CONCURRENT_TRANSACTIONS", "transactional"): (Outcome.RIDES, {51}),
    (SARAMA, "answer/init-producer-id/NOT_COORDINATOR", "transactional"): (Outcome.REFRESHES, {16}),
}
"""What these versions do, by their sources and in every run of ours."""
Played = tuple[History, Verdict]


@pytest.fixture(scope="module")
def played() -> Mapping[tuple[str, str, str], Played]:
    """Play all cells at once; what the machine was too busy for is played again."""
    cells: dict[tuple[str, str, str], Planned] = {key: planned(key[0], key[1], Role(key[2])) for key in EXPECTED}
    found: dict[tuple[str, str, str], Played] = {}
    for _ in range(3):
        left = [key for key in cells if key not in found or found[key][1].outcome is Outcome.BROKEN]
        if left:
            found.update(zip(left, play([cells[key] for key in left]), strict=True))
    return found


@pytest.mark.parametrize("key", EXPECTED, ids="-".join)
def test_the_fault_meets_the_client_and_is_told(
    played: Mapping[tuple[str, str, str], Played], key: tuple[str, str, str]
) -> None:
    outcome, codes = EXPECTED[key]
    _, verdict = played[key]
    assert verdict.outcome is outcome, verdict.reason
    assert set(verdict.facts.fault_codes) & codes, verdict.facts


def test_who_starts_under_the_fault_is_watched_from_when_it_serves(
    played: Mapping[tuple[str, str, str], Played],
) -> None:
    """It has no bystander beside it, and was waited for as long as a warm-up may take until one would serve."""
    starting = [history for (_, scenario, _), (history, _) in played.items() if "init-producer-id" in scenario]
    assert len(starting) == 2
    for history in starting:
        assert not history.header.subject.bystander_instance
        assert history.header.watched_ms < WARM_S * 1000 / 2


def test_a_coordinators_bystander_is_not_disturbed(played: Mapping[tuple[str, str, str], Played]) -> None:
    for (_, scenario, _), (history, verdict) in played.items():
        if history.header.subject.bystander_instance:
            assert verdict.facts.bystander_errors == 0, scenario
            assert verdict.facts.bystander_gap_ms is not None, scenario
            assert verdict.facts.bystander_gap_ms < 2500, scenario
