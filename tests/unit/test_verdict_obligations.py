"""Duties of a client besides its operations: heartbeats, and that it goes where an answer sends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, Expectation, Outcome, Role, Row, Target, Verdict
from probe.protocol import apis
from probe.verdict import certain, judge, outlook
from tests.support.histories import history
from tests.support.transcript import BLIP, GROUP, HEARTBEAT, METADATA, NEW, OLD, THIRD, Script
from tests.support.transcript_steps import (
    Step,
    app,
    at,
    call,
    closed,
    committed,
    fault_on,
    fetched,
    listed,
    opened,
    row,
    transactions,
    wait,
    watch,
)

EVERY_3_S = {"heartbeat_ms": "3000", "session_timeout_ms": "45000"}
REFUSED: Expectation = replace(BLIP, target=Target.COORDINATOR, codes=(-1,), apis=(HEARTBEAT,))
"""A heartbeat is answered with an error that is not the group's."""


def beat(code: int = 0, api: int = HEARTBEAT) -> Step:
    return call(api, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=code),), code=code)


SERVED: tuple[Step, ...] = (fault_on(), beat(-1), fetched(20, OLD), committed(OLD))


def member(*steps: Step, ms: int = 10_000, settings: dict[str, str] | None = None) -> Verdict:
    given = EVERY_3_S if settings is None else settings
    return judge(history(*SERVED, *steps, watch(ms), play=REFUSED, role=Role.GROUP, settings=given))


def test_a_member_without_heartbeats_has_not_recovered() -> None:
    """@platformatic/kafka 2.7.0 sends none after an error that is not the group's (platformatic/kafka #376)."""
    found = member(ms=11_000)
    assert (found.outcome, found.conforms, found.facts.recovered) == (Outcome.STUCK, False, False)
    assert found.reason.endswith("; served again, but no heartbeat in 11.0 s, though one is due each 3 s")


def test_a_member_whose_heartbeats_go_on_rides() -> None:
    found = member(at(3000), beat(), at(6000), beat(), at(9000), beat(), ms=11_000)
    assert (found.outcome, found.conforms) == (Outcome.RIDES, True)
    assert found.facts.recovery_ms == pytest.approx(2003, abs=20)  # its commit


def test_a_missing_heartbeat_is_watched_on() -> None:
    """One that is late by less than three intervals is neither stuck nor recovered."""

    def running(ms: int, *steps: Step) -> bool:
        trial = (*SERVED, *steps, at(ms), fetched(1, OLD))
        return certain(history(*trial, play=REFUSED, role=Role.GROUP, settings=EVERY_3_S, running=True))

    assert member(ms=7000).outcome is Outcome.WAITING
    assert not running(9000)
    assert running(11_000)
    assert running(9000, at(6000), beat())


def test_a_member_that_joins_or_waits_owes_no_heartbeat() -> None:
    joins = call(apis.JOIN_GROUP, OLD, Row(key=GROUP), answer=(Row(key=GROUP),))
    looks = call(apis.FIND_COORDINATOR, OLD, Row(key=GROUP), answer=(Row(key=GROUP, leader=OLD),))
    unanswered = call(HEARTBEAT, OLD, Row(key=GROUP), answer=None)
    for step in (joins, looks):
        assert member(at(9000), step, ms=11_000).outcome is Outcome.RIDES
    assert member(at(2000), unanswered, ms=11_000).outcome is Outcome.RIDES
    assert member(at(2000), unanswered, wait(10), closed(OLD, by="client"), ms=13_000).outcome is Outcome.STUCK


def test_an_interval_that_nothing_shows_owes_nothing() -> None:
    assert member(ms=30_000, settings={}).outcome is Outcome.RIDES


def test_the_longest_gap_before_the_fault_is_the_interval_of_a_member_that_polls() -> None:
    seldom = (at(-4500), beat(), at(-500), beat(), at(0))

    def watched(ms: int) -> Outcome:
        steps = (*seldom, *SERVED, watch(ms))
        return judge(history(*steps, play=REFUSED, role=Role.GROUP, settings=EVERY_3_S)).outcome

    assert watched(11_000) is Outcome.WAITING
    assert watched(14_000) is Outcome.STUCK


def test_the_broker_sets_the_interval_of_the_new_protocol() -> None:
    beats = beat(api=apis.CONSUMER_GROUP_HEARTBEAT)
    assert member(beats, ms=15_000, settings={}).outcome is Outcome.WAITING
    found = member(beats, ms=19_000, settings={})
    assert found.outcome is Outcome.STUCK
    assert "one is due each 5 s" in found.reason


@pytest.mark.parametrize("role", [Role.TRANSACTIONAL, Role.ADMIN])
def test_transactions_and_questions_go_on(role: Role) -> None:
    def begins(script: Script) -> None:
        script.app(AppKind.SENT, partition=0, sequence=script.next_sequence(0))

    work, enough = (transactions, 2) if role is Role.TRANSACTIONAL else (listed, 3)
    hit = call(apis.END_TXN if role is Role.TRANSACTIONAL else apis.LIST_OFFSETS, OLD, row(), answer=(row(code=7),))
    found = judge(history(fault_on(), hit, work(enough), at(2000), begins, watch(30_000), play=BLIP, role=role))
    assert (found.outcome, found.facts.recovered) == (Outcome.STUCK, False)
    assert "no operation that began after these succeeded" in found.reason
    assert judge(history(fault_on(), hit, work(90), watch(10_000), play=BLIP, role=role)).outcome is Outcome.RIDES


def test_a_transaction_that_recovers_may_still_fail_while_it_is_observed_for_storms() -> None:
    hit = call(apis.END_TXN, OLD, row(), answer=(row(code=7),))
    found = outlook(history(fault_on(), hit, transactions(52), running=True, play=BLIP, role=Role.TRANSACTIONAL))
    assert (found.recovered, found.settled) == (True, False)


# an answer that tells the client to start over

LEAVE: Expectation = replace(BLIP, target=Target.CLUSTER, codes=(129,), apis=(METADATA,))


def sends_away(broker: int = OLD) -> Step:
    return call(METADATA, broker, row(), answer=(), code=129, version=13)


def asked(broker: int) -> Step:
    return call(METADATA, broker, row(), answer=(row(leader=NEW),), version=13)


def sent_away(*steps: Step) -> Verdict:
    trial = (fault_on(), sends_away(), *steps, fetched(60, NEW), watch(10_000))
    return judge(history(*trial, play=LEAVE, role=Role.CONSUMER))


def test_a_client_that_has_to_start_over_leaves_the_connection() -> None:
    """librdkafka 2.11.1 asks the same broker on the same connection (#5605); 2.16.0 and Java 4.1.2 close it."""
    stays = sent_away(wait(100), asked(OLD))
    assert (stays.outcome, stays.conforms, stays.facts.rescued_by) == (Outcome.LATE, False, "retry")
    assert stays.reason.endswith("; after REBOOTSTRAP_REQUIRED it asked again on the same connection")
    for leaves in ((closed(OLD, by="client"), opened(OLD), asked(OLD)), (asked(THIRD),)):
        found = sent_away(wait(100), *leaves)
        assert (found.outcome, found.conforms) == (Outcome.RIDES, True)


def test_a_question_that_was_on_its_way_is_no_disobedience() -> None:
    assert sent_away(asked(OLD), wait(100), asked(THIRD)).outcome is Outcome.RIDES


def test_each_answer_that_sends_a_client_away_counts() -> None:
    assert sent_away(wait(100), sends_away(THIRD), wait(100), asked(THIRD)).outcome is Outcome.LATE


def test_an_error_beside_still_surfaces() -> None:
    found = sent_away(wait(100), asked(OLD), app(AppKind.RECEIVE_ERROR, 7, partition=0), fetched(60, NEW))
    assert found.outcome is Outcome.SURFACES
