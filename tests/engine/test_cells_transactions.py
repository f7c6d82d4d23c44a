"""Real cells of transactional producers whose coordinator needs longer than the library tries by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import App, AppKind, Role
from tests.support.real_cells import planned, play

NOT_COORDINATOR = 16
GIVES_UP_MS = 5000
"""sarama's Producer.Transaction.Retry: 50 attempts, 100 ms apart."""


@pytest.mark.real
def test_a_commit_that_gave_up_is_made_again() -> None:
    """As sarama's own example does (examples/txn_producer): nothing can begin before, and the client seemed stuck."""
    item = planned("sarama@1.43.3", "hold/end-txn/CONCURRENT_TRANSACTIONS", str(Role.TRANSACTIONAL))
    item = replace(item, variant=replace(item.variant, heal_after_ms=GIVES_UP_MS + 3000))
    ((told, verdict),) = play([item])
    mine = [event for event in told.events if isinstance(event, App) and event.instance == told.header.subject.instance]
    failed = [event.at for event in mine if event.kind is AppKind.TXN_ERROR]
    assert failed, "the hold was too short for the library to give up"
    assert len([event for event in mine if event.kind is AppKind.TXN_COMMITTED and event.at > failed[0]]) > 3
    assert verdict.facts.recovered


@pytest.mark.real
@pytest.mark.parametrize("client", ["aiokafka@0.14.0", "java@2.4.1"])
def test_offsets_are_committed_in_a_transaction(client: str) -> None:
    """aiokafka's driver could not; the Java client has the class of 2.5's call in 2.4, and not the call."""
    ((told, verdict),) = play([planned(client, "answer/txn-offset-commit/NOT_COORDINATOR", str(Role.TRANSACTIONAL))])
    assert not told.header.problems
    assert verdict.facts.recovered
    assert NOT_COORDINATOR in verdict.facts.fault_codes
