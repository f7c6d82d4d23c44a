"""Limits that a client's own settings set for its reaction, per kind of fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import Expectation
from probe.runner.trial.client_limits import UNKNOWN_TIMEOUT_MS, own_limit_ms, timeout_ms, with_own_timeout
from probe.scenarios.steps.brokers import KeepAnswers
from probe.scenarios.steps.partitions import CutConnections
from tests.support.transcript import COORDINATOR, FINAL, HANG, KILL, STORAGE_ERROR

SETTINGS = {
    "request_timeout_ms": "30000",
    "socket_timeout_ms": "60000",
    "retry_backoff_ms": "100",
    "longest_backoff_ms": "1000",
    "session_timeout_ms": "45000",
    "rebalance_timeout_ms": "300000",
    "delivery_timeout_ms": "300000",
}


@pytest.mark.parametrize(
    ("play", "ms"),
    [
        (STORAGE_ERROR, 1000),
        (HANG, 150000),
        (KILL, 61000),
        (COORDINATOR, 345000),
        (FINAL, 120000),
        (replace(HANG, target=COORDINATOR.target), 345000),
    ],
)
def test_the_longest_limit_that_applies_counts(play: Expectation, ms: int) -> None:
    assert own_limit_ms(play, SETTINGS) == ms


def test_a_silent_broker_may_be_asked_several_times() -> None:
    assert own_limit_ms(HANG, {"request_timeout_ms": "30000"}) == 120_000


def test_a_client_of_minutes_tries_the_silent_address_once_more() -> None:
    """Java before 2.7 and kafka-python before 2.1 connect for as long as Linux tries (127 s)."""
    assert own_limit_ms(HANG, {"request_timeout_ms": "305000"}) == 435_000
    assert own_limit_ms(KILL, {"request_timeout_ms": "305000"}) == 305_000


def test_an_unknown_setting_is_no_limit() -> None:
    assert own_limit_ms(KILL, {"request_timeout_ms": "soon"}) == 0
    assert timeout_ms({"request_timeout_ms": "5000", "retry_backoff_ms": "250"}) == 5250


@pytest.mark.parametrize(
    ("settings", "ms"),
    [
        (SETTINGS, 61_000 + 2000),
        ({"request_timeout_ms": "5000"}, 5000 + 2000),
        ({"retry_backoff_ms": "100"}, UNKNOWN_TIMEOUT_MS + 2000),
    ],
)
def test_a_kept_answer_comes_after_the_clients_own_timeout(settings: dict[str, str], ms: int) -> None:
    kept = KeepAnswers(apis=(0,), times=1, beyond_own_ms=2000)
    assert with_own_timeout((CutConnections(), kept), settings) == (CutConnections(), replace(kept, keep_ms=ms))
