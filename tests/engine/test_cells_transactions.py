"""Real cells of transactional producers whose coordinator fails for longer than the library retries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import App, AppKind, Role
from tests.support.real_cells import planned, play

NOT_COORDINATOR = 16
GIVES_UP_MS = 5000
"""sarama's Producer.Transaction.Retry: 50 attempts, 100 ms apart."""


@pytest.mark.real
def test_a_commit_that_the_library_gave_up_is_retried() -> None:
    """The driver retries as sarama's example does (examples/txn_producer); no transaction can begin before that."""
    item = planned("sarama@1.43.3", "hold/end-txn/CONCURRENT_TRANSACTIONS", str(Role.TRANSACTIONAL))
    item = replace(item, variant=replace(item.variant, heal_after_ms=GIVES_UP_MS + 3000))
    ((history, verdict),) = play([item])
    mine = [
        event
        for event in history.events
        if isinstance(event, App) and event.instance == history.header.subject.instance
    ]
    failed = [event.at for event in mine if event.kind is AppKind.TXN_ERROR]
    assert failed, "the hold was too short for the library to give up"
    assert len([event for event in mine if event.kind is AppKind.TXN_COMMITTED and event.at > failed[0]]) > 3
    assert verdict.facts.recovered


@pytest.mark.real
@pytest.mark.parametrize("client", ["aiokafka@0.14.0", "java@2.4.1"])
def test_offsets_are_committed_in_a_transaction(client: str) -> None:
    """The Java client 2.4 has the class of the call that 2.5 added, but not the call."""
    ((history, verdict),) = play([planned(client, "answer/txn-offset-commit/NOT_COORDINATOR", str(Role.TRANSACTIONAL))])
    assert not history.header.problems
    assert verdict.facts.recovered
    assert NOT_COORDINATOR in verdict.facts.fault_codes
