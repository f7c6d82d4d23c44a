"""Real admins whose controller moves or is gone: the fault reaches the wire and decides the verdict."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from probe.model import History, Outcome, Verdict
from tests.support.real_cells import planned, play

pytestmark = pytest.mark.real

MOVED, GONE, ANSWER = "controller/moved", "controller/gone", "answer/create-topics/NOT_CONTROLLER"
NOT_CONTROLLER = 41
EXPECTED = {
    ("kafka-python@2.0.2", MOVED): Outcome.SURFACES,
    ("kafkajs@2.2.4", ANSWER): Outcome.SURFACES,
    ("sarama@1.61.1", MOVED): Outcome.REFRESHES,
    ("aiokafka@0.14.0", MOVED): Outcome.STUCK,
    ("kafka-python@2.0.2", GONE): Outcome.RIDES,
}
"""Outcomes that follow from the sources of these versions."""
Played = tuple[History, Verdict]


TRIES = 5


def _is_open(key: tuple[str, str], verdict: Verdict) -> bool:
    facts = verdict.facts
    raced = "ErrNotConnected" in facts.first_error or bool(facts.bystander_errors)
    return verdict.outcome is Outcome.BROKEN or (key[0].startswith("sarama@") and raced)


@pytest.fixture(scope="module")
def played() -> Mapping[tuple[str, str], Played]:
    """Run all cells at the same time; run again those in which the harness failed, or sarama met its race.

    In one of 16 trials beside other load sarama's connection ends between two requests, and ErrNotConnected reaches the
    application; that all `TRIES` do so happens once in a million.
    """
    found: dict[tuple[str, str], Played] = {}
    for _ in range(TRIES):
        left = [key for key in EXPECTED if key not in found or _is_open(key, found[key][1])]
        if left:
            found.update(zip(left, play([planned(*key, "admin") for key in left]), strict=True))
    return found


@pytest.mark.parametrize("key", EXPECTED, ids="-".join)
def test_the_fault_hits_and_the_outcome_is_as_expected(
    played: Mapping[tuple[str, str], Played], key: tuple[str, str]
) -> None:
    _, verdict = played[key]
    assert verdict.outcome is EXPECTED[key], verdict.reason
    assert verdict.facts.fault_codes == (() if key[1] == GONE else (NOT_CONTROLLER,))


@pytest.mark.parametrize("key", EXPECTED, ids="-".join)
def test_offsets_and_descriptions_go_on(played: Mapping[tuple[str, str], Played], key: tuple[str, str]) -> None:
    _, verdict = played[key]
    assert verdict.facts.bystander_errors == 0
    assert verdict.facts.bystander_own_gap_ms is not None
    assert verdict.facts.bystander_own_gap_ms <= 5000
