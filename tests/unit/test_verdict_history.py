"""A cluster's history in the verdict: its records are no operations, and a group that loses its position shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import AppKind, ClusterHistory, History, MarkKind, Outcome, Role, Verdict
from probe.model.cluster_history import OLD
from probe.verdict import judge
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BYSTANDER, Script
from tests.support.transcript_steps import (
    Step,
    app,
    at,
    committed,
    fault_on,
    fetch_answer,
    fetched,
    watch,
)
from tests.support.verdict_case import MOVE_ASKED

START, COMMITTED, END = 7, 15, 24
PAST = ClusterHistory(starts={AFFECTED: START}, ends={AFFECTED: END}, committed={AFFECTED: COMMITTED})


def old(offset: int) -> Step:
    """Deliver a record of the history."""
    return app(AppKind.RECEIVED, partition=AFFECTED, sequence=OLD, offset=offset, origin_at=1)


def aged(whole: History, first: int) -> History:
    """Return a trial on a cluster with a history: offsets of its own records follow, old ones come from `first` on."""
    script = Script(Role.GROUP, now=whole.events[0].at)
    for offset in range(first, END):
        old(offset)(script)
    shifted = [
        replace(event, offset=event.offset + END)
        if getattr(event, "kind", None) in {AppKind.RECEIVED, AppKind.COMMITTED}
        and getattr(event, "sequence", 0) != OLD
        and getattr(event, "partition", -1) == AFFECTED
        else event
        for event in whole.events
    ]
    stored = tuple(
        replace(item, offset=item.offset + END) if item.partition == AFFECTED else item for item in whole.header.stored
    )
    header = replace(whole.header, stored=stored, subject=replace(whole.header.subject, history=PAST))
    return History(header, (whole.events[0], *script.events, *shifted[1:]))


def trial(*more: Step, role: Role = Role.GROUP) -> History:
    end = (committed(),) if role is Role.GROUP else ()
    return history(
        fault_on(), fetch_answer(56), *MOVE_ASKED, fetched(30), *end, *more, fetched(30), watch(10_000), role=role
    )


def group_verdict(first: int, *more: Step) -> Verdict:
    return judge(aged(trial(*more), first))


def test_a_member_that_begins_at_its_committed_offset_breaks_no_promise() -> None:
    found = group_verdict(COMMITTED)
    assert (found.outcome, found.facts.position_jump, found.facts.duplicated, found.facts.lost) == (
        Outcome.REFRESHES,
        0,
        0,
        0,
    )


def test_a_member_that_begins_at_the_start_of_the_log_has_lost_its_position() -> None:
    found = group_verdict(START)
    assert (found.outcome, found.facts.duplicated) == (Outcome.VIOLATES, COMMITTED - START)
    assert "8 records delivered again" in found.reason


def test_a_member_that_begins_after_its_committed_offset_has_lost_its_position() -> None:
    found = group_verdict(COMMITTED + 5)
    assert (found.outcome, found.facts.position_jump, found.facts.duplicated) == (Outcome.VIOLATES, 5, 0)


def test_a_member_that_begins_at_the_end_passes_over_everything_in_between() -> None:
    assert group_verdict(END).facts.position_jump == END - COMMITTED


@pytest.mark.parametrize(
    ("first", "outcome"),
    [(COMMITTED, Outcome.REFRESHES), (COMMITTED + 5, Outcome.VIOLATES), (START, Outcome.VIOLATES)],
)
def test_old_records_without_an_offset_are_counted(first: int, outcome: Outcome) -> None:
    """A whole application reports no offset of a record that the probe has not written (Telegraf 1.28.5)."""
    whole = aged(trial(), first)
    events = (replace(item, offset=-1) if getattr(item, "sequence", 0) == OLD else item for item in whole.events)
    assert judge(History(whole.header, tuple(events))).outcome is outcome


def test_a_position_that_is_lost_when_the_member_joins_again_shows() -> None:
    joined = (app(AppKind.REVOKED), app(AppKind.ASSIGNED, partitions=(AFFECTED,)))
    again = [old(offset) for offset in range(START, END)]
    assert group_verdict(COMMITTED, *joined).outcome is Outcome.REFRESHES
    found = group_verdict(COMMITTED, *joined, *again)
    assert (found.outcome, found.facts.duplicated) == (Outcome.VIOLATES, COMMITTED - START)


def test_a_second_member_may_begin_where_the_first_one_left() -> None:
    whole = aged(trial(), END)
    (first, *_) = whole.events
    warm = next(event for event in whole.events if getattr(event, "kind", None) is MarkKind.WARM)
    seen = History(whole.header, (replace(warm, at=first.at - 1), *whole.events))
    assert judge(seen).outcome is Outcome.REFRESHES


def test_a_consumer_without_a_group_reads_the_history() -> None:
    found = judge(aged(trial(role=Role.CONSUMER), START))
    assert (found.outcome, found.facts.position_jump) == (Outcome.REFRESHES, 0)


def begun(first: int, beside: int, role: Role = Role.CONSUMER) -> Verdict:
    """Judge a reader of two partitions with the same history, by the offset at which it began each of them."""
    whole = aged(trial(role=role), first)
    script = Script(role, now=whole.events[0].at)
    for offset in range(beside, END):
        app(AppKind.RECEIVED, partition=BYSTANDER, sequence=OLD, offset=offset, origin_at=1)(script)
    later = [
        replace(event, offset=event.offset + END)
        if getattr(event, "kind", None) is AppKind.RECEIVED and getattr(event, "partition", -1) == BYSTANDER
        else event
        for event in whole.events
    ]
    stored = tuple(
        replace(item, offset=item.offset + END) if item.partition == BYSTANDER else item for item in whole.header.stored
    )
    both = replace(PAST, starts=dict.fromkeys((AFFECTED, BYSTANDER), START), ends={AFFECTED: END, BYSTANDER: END})
    header = replace(whole.header, stored=stored, subject=replace(whole.header.subject, history=both))
    return judge(History(header, (later[0], *script.events, *later[1:])))


def test_a_consumer_that_begins_one_partition_at_its_end_passed_over_its_records() -> None:
    """librdkafka 1.7.0 takes the end of the log once three ListOffsets were lost (`start-during/offsets-lost`)."""
    found = begun(END, START)
    assert (found.outcome, found.facts.position_jump) == (Outcome.VIOLATES, END - START)
    assert "17 records before its first position, passed over" in found.reason


@pytest.mark.parametrize(("first", "beside"), [(START, START), (END, END)])
def test_a_consumer_that_begins_all_partitions_alike_passed_over_nothing(first: int, beside: int) -> None:
    assert begun(first, beside).outcome is Outcome.REFRESHES


def test_a_consumer_that_goes_back_into_the_history_goes_back_over_newer_records() -> None:
    found = judge(aged(trial(*(old(offset) for offset in range(START, END)), role=Role.CONSUMER), START))
    assert found.outcome is Outcome.VIOLATES
    assert found.facts.position_jump == found.facts.duplicated == 40


def test_old_records_do_not_prove_recovery() -> None:
    whole = history(fault_on(), fetch_answer(56), *MOVE_ASKED, at(400), watch(20_000), role=Role.CONSUMER)
    script = Script(Role.CONSUMER, now=whole.events[-1].at - 15_000_000)
    for offset in range(START, END):
        old(offset)(script)
    seen = History(whole.header, tuple(sorted((*whole.events, *script.events), key=lambda event: event.at)))
    assert judge(whole).outcome is Outcome.STUCK
    assert judge(seen).facts.recovered is False
