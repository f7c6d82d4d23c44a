"""Real cells of transactional producers whose coordinator fails for longer than the library retries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import App, AppKind, Outcome, Role
from tests.support.real_cells import planned, play

NOT_COORDINATOR = 16
PRODUCER_FENCED = 90
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


@pytest.mark.real
@pytest.mark.parametrize(("profile", "outcome"), [("isolated", Outcome.CLEAN), ("defaults", Outcome.STUCK)])
def test_an_id_of_nobody_is_fenced_where_the_transactional_id_was_used(profile: str, outcome: Outcome) -> None:
    """@platformatic/kafka brings id 0 and epoch 0 along by default; two producers had the transactional id before."""
    client = "platformatic-kafka@1.35.0"
    ((history, verdict),) = play([planned(client, "steady", str(Role.TRANSACTIONAL), profiles=[profile])])
    assert verdict.outcome is outcome
    mine = [event for event in history.events if isinstance(event, App) and event.kind is AppKind.TXN_ERROR]
    assert {event.error.code for event in mine if event.error} == ({PRODUCER_FENCED} if mine else set())
