"""Promises of the effective settings, compared with the read-back."""

from __future__ import annotations

import pytest

from probe.model import AppKind, Outcome, Role, Stored, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, ME, NEW, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    also_stored,
    app,
    committed,
    fault_on,
    fetch_answer,
    fetched,
    produce_answer,
    produced,
    transactions,
    unstored,
    watch,
)
from tests.support.verdict_case import MOVE_ASKED


def produced_verdict(*more: Step, **settings: str) -> Verdict:
    return judge(
        history(fault_on(), produce_answer(56), *MOVE_ASKED, acked(70), *more, watch(10_000), settings=settings)
    )


def read_verdict(*more: Step, role: Role = Role.CONSUMER, **header: object) -> Verdict:
    end = (committed(),) if role is Role.GROUP else ()
    steps = (fault_on(), fetch_answer(56), *MOVE_ASKED, fetched(30), *end, *more, fetched(30), watch(10_000))
    return judge(history(*steps, role=role, **header))


def transacted_verdict(*more: Step) -> Verdict:
    steps = (fault_on(), produce_answer(56), *MOVE_ASKED, transactions(60), *more, watch(10_000))
    return judge(history(*steps, role=Role.TRANSACTIONAL))


def test_a_producer_that_recovers_breaks_no_promise() -> None:
    facts = produced_verdict().facts
    assert (facts.lost, facts.duplicated, facts.reordered) == (0, 0, 0)
    assert facts.acked is not None
    assert facts.acked > 70


@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({"acks": "all"}, Outcome.VIOLATES),
        ({"acks": "-1"}, Outcome.VIOLATES),
        ({"acks": "1"}, Outcome.REFRESHES),
        ({"acks": "0"}, Outcome.REFRESHES),
    ],
)
def test_a_lost_record_breaks_only_acks_all(settings: dict[str, str], outcome: Outcome) -> None:
    found = produced_verdict(unstored(15), unstored(16), **settings)
    assert (found.outcome, found.facts.lost) == (outcome, 2)


def test_a_lost_record_of_the_bystander_counts() -> None:
    def lose(script: Script) -> None:
        script.sequences[1] = 41
        script.app(AppKind.ACKED, partition=1, sequence=999)

    assert produced_verdict(lose).facts.lost == 1


@pytest.mark.parametrize(("idempotence", "outcome"), [("true", Outcome.VIOLATES), ("false", Outcome.REFRESHES)])
def test_a_duplicate_breaks_only_idempotence(idempotence: str, outcome: Outcome) -> None:
    found = produced_verdict(also_stored(79), idempotence=idempotence)
    assert (found.outcome, found.facts.duplicated, found.facts.reordered) == (outcome, 1, 0)


@pytest.mark.parametrize(("idempotence", "outcome"), [("true", Outcome.VIOLATES), ("false", Outcome.REFRESHES)])
def test_a_reordered_record_breaks_only_idempotence(idempotence: str, outcome: Outcome) -> None:
    found = produced_verdict(unstored(20), also_stored(20), idempotence=idempotence)
    assert (found.outcome, found.facts.duplicated, found.facts.reordered) == (outcome, 0, 1)


def test_an_unacknowledged_record_may_be_stored_or_not() -> None:
    assert produced_verdict(app(AppKind.SENT, partition=0, sequence=500)).outcome is Outcome.REFRESHES
    sent = app(AppKind.SENT, partition=AFFECTED, sequence=500)
    assert produced_verdict(sent, also_stored(500), idempotence="true").outcome is Outcome.REFRESHES


def test_without_a_read_back_no_promise_is_judged() -> None:
    found = judge(history(fault_on(), produce_answer(56), *MOVE_ASKED, acked(70), watch(10_000), stored=()))
    assert (found.outcome, found.facts.lost) == (Outcome.REFRESHES, None)


# consumers


@pytest.mark.parametrize("role", [Role.CONSUMER, Role.GROUP])
def test_a_consumer_without_gaps_breaks_no_promise(role: Role) -> None:
    found = read_verdict(role=role)
    assert (found.outcome, found.facts.position_jump, found.facts.duplicated) == (Outcome.REFRESHES, 0, 0)
    assert found.facts.acked is None


def test_skipped_records_break_the_promise() -> None:
    skip = (also_stored(900, "feed"), also_stored(901, "feed"))
    found = read_verdict(*skip)
    assert (found.outcome, found.facts.position_jump) == (Outcome.VIOLATES, 2)
    assert "jump over 2 records" in found.reason


def test_offsets_without_records_are_not_skipped() -> None:
    """Transaction markers take offsets, too."""

    def marker(script: Script) -> None:
        script.offsets[AFFECTED] += 3

    assert read_verdict(marker).outcome is Outcome.REFRESHES


def test_going_back_within_an_assignment_is_a_jump() -> None:
    back = app(AppKind.RECEIVED, partition=AFFECTED, offset=10, origin_at=1)
    found = read_verdict(back)
    assert (found.outcome, found.facts.position_jump, found.facts.duplicated) == (Outcome.VIOLATES, 30, 30)


def test_a_new_assignment_may_go_back() -> None:
    again = (app(AppKind.REVOKED, partitions=(0, 1)), app(AppKind.ASSIGNED, partitions=(0, 1)))
    back = app(AppKind.RECEIVED, partition=AFFECTED, offset=10, origin_at=1)
    found = read_verdict(*again, back, *again, role=Role.GROUP)
    assert (found.outcome, found.facts.position_jump) == (Outcome.REFRESHES, 0)


def test_an_assignment_without_partitions_covers_all() -> None:
    back = app(AppKind.RECEIVED, partition=AFFECTED, offset=10, origin_at=1)
    assert read_verdict(app(AppKind.ASSIGNED), back, app(AppKind.ASSIGNED), role=Role.GROUP).facts.position_jump == 0


def test_commits_beyond_delivered_records_break_the_promise() -> None:
    ahead = committed(offset=45)
    found = read_verdict(ahead, role=Role.GROUP)
    assert (found.outcome, found.facts.lost) == (Outcome.VIOLATES, 5)
    at_end = read_verdict(role=Role.GROUP, committed={0: 70})
    assert at_end.outcome is Outcome.REFRESHES
    beyond = read_verdict(also_stored(900, "feed"), role=Role.GROUP, committed={0: 72})
    assert beyond.outcome is Outcome.VIOLATES


# transactions


def test_complete_transactions_break_no_promise() -> None:
    found = transacted_verdict()
    assert (found.outcome, found.facts.lost, found.facts.duplicated) == (Outcome.REFRESHES, 0, 0)
    assert transacted_verdict(unstored(30)).outcome is Outcome.VIOLATES


def test_an_aborted_transaction_must_not_be_visible() -> None:
    found = transacted_verdict(transactions(1, ends=AppKind.TXN_ABORTED))
    assert (found.outcome, found.facts.duplicated) == (Outcome.VIOLATES, 1)


def torn(ends: AppKind) -> Step:
    """Add a transaction of two records, of which only one is stored."""

    def step(script: Script) -> None:
        script.app(AppKind.TXN_BEGUN, sequence=700)
        produced(script, AFFECTED, NEW)
        produced(script, AFFECTED, NEW)
        script.app(ends, sequence=700)
        script.stored = [item for item in script.stored if item != last(script)]

    return step


def last(script: Script) -> Stored:
    return max((item for item in script.stored if item.instance == ME and not item.partition), key=lambda i: i.offset)


def test_a_transaction_of_unknown_end_is_all_or_nothing() -> None:
    whole = transacted_verdict(transactions(1, ends=AppKind.TXN_ERROR))
    assert whole.facts.duplicated == 0
    half = transacted_verdict(torn(AppKind.TXN_ERROR))
    assert (half.outcome, half.facts.duplicated) == (Outcome.VIOLATES, 1)
