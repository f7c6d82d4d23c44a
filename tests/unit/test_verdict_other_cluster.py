"""A client that goes on in another cluster is never a good one, whatever its settings are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probe.model import EngineKind, History, Outcome, Reaction, Role, Target
from probe.verdict import certain, judge
from tests.support.histories import history
from tests.support.transcript import RESET
from tests.support.transcript_steps import Step, acked, closed, engine, failed, fault_on, fetched, transactions, watch

REPLACED = replace(
    RESET, expects=Reaction.SURFACE, target=Target.CLUSTER, conforms=(Outcome.SURFACES, Outcome.FATAL), watch_ms=20_000
)
LATER_MS = 200_000


def replaced(*steps: Step, role: Role = Role.PRODUCER, **more: Any) -> History:
    begin = (fault_on(), closed(), engine(EngineKind.REPLACED))
    return history(*begin, *steps, role=role, play=REPLACED, bystander=False, **more)


@pytest.mark.parametrize("acks", ["all", "1"])
def test_a_producer_that_goes_on_in_another_cluster_breaks_a_promise(acks: str) -> None:
    found = judge(replaced(failed(1), acked(5), watch(LATER_MS), settings={"acks": acks}))
    assert (found.outcome, found.conforms) == (Outcome.VIOLATES, False)
    assert "5 operations in another cluster" in found.reason


@pytest.mark.parametrize(("role", "goes_on"), [(Role.CONSUMER, fetched(5)), (Role.TRANSACTIONAL, transactions(5))])
def test_so_do_readers_and_transactions(role: Role, goes_on: Step) -> None:
    found = judge(replaced(goes_on, watch(LATER_MS), role=role))
    assert found.outcome is Outcome.VIOLATES
    assert "in another cluster" in found.reason


def test_a_client_that_reports_an_error_and_stops_is_good() -> None:
    found = judge(replaced(failed(5), watch(LATER_MS)))
    assert (found.outcome, found.conforms) == (Outcome.SURFACES, True)


def test_a_silent_client_is_not_good() -> None:
    assert judge(replaced(watch(LATER_MS))).outcome is Outcome.STUCK


def test_no_more_need_be_seen_of_a_client_that_goes_on() -> None:
    assert certain(replaced(acked(5), watch(21_000), running=True))
