"""Promises about a topic that came back with another log: its first records must not be skipped without a word."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.catalogue.scenarios import default_scenarios
from probe.model import AppKind, History, Outcome, Role, Target, Trigger, Verdict
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BYSTANDER, ELECTED, NEW, OLD, Script
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    app,
    ask,
    at,
    committed,
    fault_on,
    fetch_answer,
    fetched,
    moved,
    produce_answer,
    tell,
    unstored,
    watch,
)

RETURNED = replace(ELECTED, target=Target.CLUSTER, codes=(1, 3, 6, 100), causes=(Trigger.ERROR,), new_log=True)
BACK: tuple[Step, ...] = (moved(), at(610), announced(), ask(), tell(NEW))
HELD, FILLED = 40, 1_000_000
SILENT = f"{HELD} records of the new topic before its first position, skipped without a word"


def comes_back(script: Script) -> None:
    """The topic comes back half a second after the fault, with 40 records in the affected partition."""
    at(600)(script)
    script.stored.clear()
    script.offsets.clear()
    for number in range(HELD):
        script.store(AFFECTED, FILLED + number, "feed")


def from_the_first(script: Script) -> None:
    """Deliver the records that the topic came back with."""
    for number in range(HELD):
        app(AppKind.RECEIVED, partition=AFFECTED, sequence=FILLED + number, offset=number, origin_at=1)(script)


def trial(*more: Step, role: Role = Role.CONSUMER, **settings: str) -> History:
    end = (committed(),) if role is Role.GROUP else ()
    steps = (fault_on(), fetch_answer(3), comes_back, *BACK, *more, fetched(30), *end, watch(10_000))
    return history(*steps, role=role, play=RETURNED, settings=settings)


def read(*more: Step, role: Role = Role.CONSUMER, **settings: str) -> Verdict:
    return judge(trial(*more, role=role, **settings))


@pytest.mark.parametrize("role", [Role.CONSUMER, Role.GROUP])
@pytest.mark.parametrize("policy", ["earliest", "latest"])
def test_a_reader_that_goes_on_inside_the_new_log_breaks_a_promise(role: Role, policy: str) -> None:
    found = read(role=role, offset_reset=policy)
    assert (found.outcome, found.facts.position_jump, found.facts.errors_surfaced) == (Outcome.VIOLATES, HELD, 0)
    assert f"{SILENT} (auto.offset.reset={policy})" in found.reason


def test_a_policy_that_no_client_reports_is_left_out() -> None:
    assert read().reason.endswith(SILENT)


def test_a_reader_that_begins_with_the_first_record_keeps_it() -> None:
    found = read(from_the_first, offset_reset="earliest")
    assert (found.outcome, found.facts.position_jump) == (Outcome.REFRESHES, 0)


def test_a_reader_that_goes_back_later_has_skipped_nothing() -> None:
    def once_more(script: Script) -> None:
        last = {"sequence": script.sequences[AFFECTED], "offset": script.offsets[AFFECTED]}
        app(AppKind.RECEIVED, partition=AFFECTED, origin_at=1, **last)(script)

    again = (app(AppKind.REVOKED, partitions=(AFFECTED,)), app(AppKind.ASSIGNED, partitions=(AFFECTED,)))
    found = read(fetched(1), *again, from_the_first, once_more, role=Role.GROUP)
    assert (found.outcome, found.facts.position_jump) == (Outcome.REFRESHES, 0)


def test_an_error_before_the_first_record_is_a_word() -> None:
    found = read(app(AppKind.RECEIVE_ERROR, 1, partition=AFFECTED))
    assert (found.outcome, found.facts.position_jump) == (Outcome.SURFACES, HELD)


@pytest.mark.parametrize(
    "word",
    [
        app(AppKind.NOTICE, text="the offset is out of range"),
        app(AppKind.RECEIVE_ERROR, 1, partition=BYSTANDER),
    ],
)
def test_a_log_line_or_an_error_about_another_partition_is_no_word(word: Step) -> None:
    assert SILENT in read(word).reason


def test_an_error_after_the_first_record_comes_too_late() -> None:
    assert SILENT in read(fetched(1), app(AppKind.RECEIVE_ERROR, 1, partition=AFFECTED)).reason


def test_records_of_the_old_topic_at_the_same_offsets_are_not_those_of_the_new_one() -> None:
    late = app(AppKind.RECEIVED, partition=AFFECTED, sequence=3, offset=3, origin_at=1)
    found = read(late, from_the_first)
    assert (found.outcome, found.facts.position_jump) == (Outcome.REFRESHES, 0)


def test_commits_of_the_old_topic_promise_nothing_about_the_new_one() -> None:
    found = read(committed(offset=900), from_the_first, role=Role.GROUP)
    assert (found.outcome, found.facts.lost) == (Outcome.REFRESHES, 0)


@pytest.mark.parametrize(("kept", "outcome", "lost"), [(900, Outcome.REFRESHES, 0), (901, Outcome.VIOLATES, 2)])
def test_an_old_position_that_is_committed_late_loses_nothing_of_the_new_topic(
    kept: int, outcome: Outcome, lost: int
) -> None:
    """A member whose position only advances (sarama) commits that of the old topic after the new one has come."""

    def unread(script: Script) -> None:
        for number in range(2):
            script.store(AFFECTED, FILLED + 500 + number, "feed")

    old = app(AppKind.RECEIVED, partition=AFFECTED, sequence=3, offset=899, origin_at=1)
    steps = (fault_on(), fetch_answer(3), comes_back, *BACK, old, from_the_first, fetched(30), committed(), unread)
    judged = history(*steps, watch(10_000), role=Role.GROUP, play=RETURNED)
    found = judge(replace(judged, header=replace(judged.header, committed={AFFECTED: kept})))
    assert (found.outcome, found.facts.lost) == (outcome, lost)


def test_a_jump_inside_the_new_log_is_judged_as_everywhere() -> None:
    def jump(script: Script) -> None:
        for number in range(5):
            script.store(AFFECTED, FILLED + HELD + number, "feed")

    found = read(from_the_first, jump)
    assert (found.outcome, found.facts.position_jump) == (Outcome.VIOLATES, 5)
    assert "a position jump over 5 records" in found.reason


def test_a_client_that_reads_nothing_of_the_new_topic_skips_nothing() -> None:
    steps = (fault_on(), fetch_answer(3), comes_back, *BACK, watch(20_000))
    found = judge(history(*steps, role=Role.CONSUMER, play=RETURNED))
    assert (found.outcome, found.facts.position_jump) == (Outcome.STUCK, 0)


def test_a_producer_owes_the_records_that_began_once_the_topic_was_back() -> None:
    steps = (fault_on(), acked(3, OLD), produce_answer(3), comes_back, *BACK, acked(60))
    whole = judge(history(*steps, watch(10_000), play=RETURNED))
    assert (whole.outcome, whole.facts.lost) == (Outcome.REFRESHES, 0)
    found = judge(history(*steps, unstored(40), watch(10_000), play=RETURNED))
    assert (found.outcome, found.facts.lost) == (Outcome.VIOLATES, 1)


def test_only_scenarios_of_topics_that_come_back_are_judged_so() -> None:
    named = {
        name
        for name, item in default_scenarios().items()
        if any(part.expectation.new_log for part in (*item.variants, *item.real))
    }
    again = {f"{name}/same-leader" for name in ("topic/absent", "topic/replaced")}
    assert named == {"topic/absent", "topic/replaced", *again}
