"""Transactions to their end: fenced producers, and readers behind a transaction that was aborted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.drivers.conversion import read_value
from probe.model import AppKind, Outcome, Role, Verdict
from probe.model.cluster_history import ABORTED, LEFT
from probe.protocol.apis import END_TXN, PRODUCE
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, OLD, TXN_ID, Script
from tests.support.transcript_steps import Step, app, at, call, fault_on, fetched, row, transactions, unstored, watch
from tests.support.verdict_case import expectation_of


def fenced(*steps: Step) -> Verdict:
    expectation = expectation_of("txn/fenced", Role.TRANSACTIONAL)
    return judge(history(fault_on(), *steps, watch(10_000), role=Role.TRANSACTIONAL, play=expectation))


def refused(api: int, code: int) -> Step:
    key = "" if api == PRODUCE else TXN_ID
    about = row(AFFECTED if api == PRODUCE else -1, key=key)
    return call(api, OLD, about, answer=(replace(about, code=code),))


@pytest.mark.parametrize(("api", "code"), [(END_TXN, 90), (END_TXN, 47), (PRODUCE, 47)])
def test_a_producer_that_says_that_it_is_fenced_conforms(api: int, code: int) -> None:
    found = fenced(refused(api, code), app(AppKind.TXN_ERROR, code))
    assert (found.outcome, found.conforms) == (Outcome.SURFACES, True)
    assert found.facts.fault_codes == (code,)


def test_a_producer_that_ends_because_it_is_fenced_conforms() -> None:
    found = fenced(refused(END_TXN, 90), app(AppKind.FATAL, 90))
    assert (found.outcome, found.conforms) == (Outcome.FATAL, True)


def test_a_producer_that_hides_its_fence_is_stuck() -> None:
    found = fenced(refused(END_TXN, 90))
    assert (found.outcome, found.conforms) == (Outcome.STUCK, False)


def test_a_commit_that_was_none_is_found_although_the_producer_ends_as_it_may() -> None:
    hung = (transactions(1, OLD), unstored(10), refused(END_TXN, 90), app(AppKind.FATAL, 90))
    found = fenced(*hung)
    assert (found.outcome, found.conforms) == (Outcome.VIOLATES, False)
    assert found.facts.lost == 1


def aborted(script: Script) -> None:
    """Deliver a record that is in the log, and not in what is read back of it."""
    script.offsets[AFFECTED] += 1
    app(AppKind.RECEIVED, partition=AFFECTED, sequence=ABORTED, offset=script.offsets[AFFECTED])(script)


def read(*steps: Step, isolation: str) -> Verdict:
    expectation = expectation_of("txn/left-open", Role.CONSUMER)
    work = (fetched(100, OLD), *steps, at(12_000), fetched(130, OLD), watch(25_000))
    return judge(history(fault_on(), *work, role=Role.CONSUMER, play=expectation, settings={"isolation": isolation}))


def test_a_value_of_a_transaction_left_open_is_known() -> None:
    assert read_value(f"{LEFT} 0 4 17") == (ABORTED, 17)


def test_an_aborted_record_breaks_the_promise_of_a_reader_of_committed_ones() -> None:
    found = read(aborted, isolation="read_committed")
    assert (found.outcome, found.conforms) == (Outcome.VIOLATES, False)
    assert "1 record of an aborted transaction delivered" in found.reason


def test_a_reader_of_uncommitted_records_was_promised_nothing() -> None:
    assert read(aborted, isolation="read_uncommitted").outcome is Outcome.CLEAN


def test_a_reader_that_waits_for_the_end_of_the_transaction_conforms() -> None:
    found = read(isolation="read_committed")
    assert (found.outcome, found.conforms) == (Outcome.CLEAN, True)
