"""Records without an outcome after the client's delivery limit, and records that nobody sent."""

from __future__ import annotations

import pytest

from probe.model import AppKind, Outcome, Role, Stored, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BYSTANDER, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    also_stored,
    app,
    fault_on,
    fetched,
    produce_answer,
    transactions,
    wait,
    watch,
)
from tests.support.verdict_case import MOVE_ASKED

LIMIT = {"delivery_timeout_ms": "3000", "request_timeout_ms": "1000"}
"""With its slack, 6 s."""


def verdict(*more: Step, settings: dict[str, str] | None = None, **header: object) -> Verdict:
    steps = (fault_on(), produce_answer(56), *MOVE_ASKED, *more, acked(60), watch(10_000))
    return judge(history(*steps, settings=LIMIT if settings is None else settings, **header))


def handed_over(script: Script) -> None:
    script.app(AppKind.SENT, partition=AFFECTED, sequence=script.next_sequence(AFFECTED))


def test_a_record_without_an_outcome_after_the_limit_breaks_the_promise() -> None:
    found = verdict(handed_over)
    assert (found.outcome, found.facts.unresolved, found.conforms) == (Outcome.VIOLATES, 1, False)
    assert "1 record without an outcome after the delivery limit" in found.reason


def test_a_client_that_reports_each_record_has_none() -> None:
    found = verdict()
    assert (found.outcome, found.facts.unresolved, found.facts.phantom) == (Outcome.REFRESHES, 0, 0)


@pytest.mark.parametrize("kind", [AppKind.ACKED, AppKind.SEND_ERROR])
def test_an_outcome_counts_however_late_it_comes(kind: AppKind) -> None:
    def reported(script: Script) -> None:
        script.now += 6_500_000
        script.app(kind, partition=AFFECTED, sequence=script.sequences[AFFECTED])

    assert verdict(handed_over, reported).facts.unresolved == 0


def test_a_record_may_still_be_under_way_before_the_limit_and_a_request_have_passed() -> None:
    steps = (fault_on(), produce_answer(56), *MOVE_ASKED, acked(45), handed_over, acked(5), watch(10_000))
    assert judge(history(*steps, settings=LIMIT)).facts.unresolved == 0


def test_the_limit_begins_when_the_library_has_taken_the_record() -> None:
    """A call that waits for metadata is no delivery; the next record of the partition shows that it returned."""
    blocked = (
        fault_on(),
        produce_answer(56),
        *MOVE_ASKED,
        acked(20),
        handed_over,
        wait(5000),
        acked(20),
        watch(10_000),
    )
    assert judge(history(*blocked, settings=LIMIT)).facts.unresolved == 0


@pytest.mark.parametrize("settings", [{}, {"delivery_timeout_ms": "0"}, {"delivery_timeout_ms": "2147483647"}])
def test_a_client_without_such_a_limit_promises_none(settings: dict[str, str]) -> None:
    found = verdict(handed_over, settings=settings)
    assert found.outcome is Outcome.REFRESHES
    assert not found.facts.unresolved


def test_an_application_judged_by_the_wire_promises_none() -> None:
    assert verdict(handed_over, judged_by="wire").facts.unresolved is None


def test_the_end_of_a_transaction_is_the_outcome_of_its_records() -> None:
    def silently(ends: AppKind | None) -> Step:
        def step(script: Script) -> None:
            script.app(AppKind.TXN_BEGUN, sequence=900)
            handed_over(script)
            if ends is not None:
                script.app(ends, sequence=900)

        return step

    def transacted(*more: Step) -> Verdict:
        steps = (fault_on(), produce_answer(56), *MOVE_ASKED, *more, transactions(60), watch(14_000))
        return judge(history(*steps, role=Role.TRANSACTIONAL, settings=LIMIT))

    assert transacted(silently(AppKind.TXN_ABORTED)).facts.unresolved == 0
    assert transacted(silently(AppKind.TXN_ERROR)).facts.unresolved == 0


# records that nobody sent


def test_a_stored_record_that_was_not_handed_over_is_a_phantom() -> None:
    found = verdict(also_stored(700))
    assert (found.outcome, found.facts.phantom, found.conforms) == (Outcome.VIOLATES, 1, False)
    assert "1 record in the log that nobody sent" in found.reason


def test_a_record_in_another_partition_than_it_was_sent_to_is_a_phantom() -> None:
    def astray(script: Script) -> None:
        script.sequences[BYSTANDER] = 400  # so that the number is not one of this partition
        script.stored.append(Stored(BYSTANDER, 9000, "me", 3))

    known = verdict(astray)
    assert known.facts.phantom == 1


def test_a_record_of_no_form_of_ours_is_a_phantom() -> None:
    def strange(script: Script) -> None:
        script.stored.append(Stored(AFFECTED, 9000, "\x00\x00", -1))

    assert verdict(strange).facts.phantom == 1


@pytest.mark.parametrize("writer", ["feed", "again-me"])
def test_records_of_other_writers_are_none(writer: str) -> None:
    found = verdict(also_stored(700, writer))
    assert (found.outcome, found.facts.phantom) == (Outcome.REFRESHES, 0)


def test_a_process_that_ended_may_not_have_reported_its_last_records() -> None:
    gone = app(AppKind.FATAL, text="the process ended")
    steps = (fault_on(), produce_answer(56), *MOVE_ASKED, acked(20), also_stored(700), gone, watch(10_000))
    assert judge(history(*steps)).facts.phantom == 0
    again = (fault_on(), produce_answer(56), *MOVE_ASKED, acked(20), also_stored(-2), gone, watch(10_000))
    assert judge(history(*again)).facts.phantom == 1


def test_readers_and_trials_without_a_read_back_have_neither_count() -> None:
    reader = (fault_on(), *MOVE_ASKED, fetched(30), watch(10_000))
    facts = judge(history(*reader, role=Role.CONSUMER)).facts
    assert (facts.unresolved, facts.phantom) == (None, None)
    assert verdict(also_stored(700), stored=()).facts.phantom is None
