"""Verdicts where many records are under way, or records have keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probe.model import App, AppKind, Event, Header, History, MarkKind, Outcome, Reaction, Stored, Verdict
from probe.verdict import judge
from probe.verdict.record_keys import beat, strayed, with_partitions
from tests.support.histories import history
from tests.support.transcript import AFFECTED, BYSTANDER, ME, NEW, STORAGE_ERROR
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    app,
    ask,
    at,
    fault_on,
    moved,
    produce_answer,
    tell,
    watch,
)

BATCH = 20
NOTHING = replace(STORAGE_ERROR, expects=Reaction.NOTHING, conforms=(Outcome.CLEAN,))
MOVE: tuple[Step, ...] = (fault_on(), produce_answer(56), at(150), moved(), at(180), announced(), ask(), tell(NEW))
AT_ONCE_US = 1000
"""The interval between records of a burst."""


def burst() -> Step:
    return acked(BATCH, every=AT_ONCE_US)


def pipelined(*steps: Step, batch: int = BATCH) -> Verdict:
    return judge(history(*MOVE, *steps, watch(10_000), batch=batch))


@pytest.mark.parametrize(("batch", "recovered"), [(1, True), (BATCH, False)])
def test_one_burst_is_as_much_as_one_success(batch: int, recovered: bool) -> None:
    assert pipelined(burst(), batch=batch).facts.recovered is recovered


def test_a_client_that_serves_three_bursts_has_recovered() -> None:
    steps = [step for ms in (300, 400, 500) for step in (at(ms), burst())]
    facts = pipelined(*steps).facts
    assert facts.recovered
    assert facts.recovery_ms == pytest.approx(520 - 180, abs=30)


@pytest.mark.parametrize(("bursts", "outcome"), [(2, Outcome.WAITING), (3, Outcome.CLEAN)])
def test_a_client_of_which_nothing_is_asked_serves_with_three_bursts(bursts: int, outcome: Outcome) -> None:
    steps = [step for number in range(bursts) for step in (at(9300 + 200 * number), burst())]
    found = judge(history(fault_on(), *steps, watch(10_000), batch=BATCH, play=NOTHING))
    assert found.outcome is outcome


def closing(*steps: Step, **header: Any) -> Verdict:
    """Judge a producer that works through the fault and closes well; `steps` come before its last bursts."""
    last = [step for ms in (1000, 1100, 1200, 1300) for step in (at(ms), burst())]
    found = history(*MOVE, *steps, *last, watch(10_000), **header)
    asked = next(event.at for event in found.events if getattr(event, "kind", None) is MarkKind.STOPPING)
    end = App(at=asked + 1000, kind=AppKind.CLOSED, instance=ME)
    return judge(History(found.header, tuple(sorted((*found.events, end), key=lambda event: event.at))))


def never_reported() -> Step:
    return app(AppKind.SENT, partition=AFFECTED, sequence=5000)


def reported_later() -> Step:
    return app(AppKind.ACKED, partition=AFFECTED, sequence=5001)


@pytest.mark.parametrize(("header", "outcome"), [({"batch": BATCH}, Outcome.VIOLATES), ({}, Outcome.REFRESHES)])
def test_a_record_that_is_never_reported_breaks_a_promise_where_many_are_under_way(
    header: dict[str, Any], outcome: Outcome
) -> None:
    found = closing(never_reported(), reported_later(), settings={"acks": "1"}, **header)
    assert found.outcome is outcome
    assert ("without an outcome" in found.reason) is (outcome is Outcome.VIOLATES)


def test_a_record_that_is_never_sent_is_lost() -> None:
    never_sent = app(AppKind.ACKED, partition=AFFECTED, sequence=5000)
    found = closing(app(AppKind.SENT, partition=AFFECTED, sequence=5000), never_sent, batch=BATCH)
    assert (found.outcome, found.facts.lost) == (Outcome.VIOLATES, 1)


def test_the_last_records_before_the_close_need_no_outcome() -> None:
    assert closing(never_reported(), batch=BATCH).outcome is Outcome.REFRESHES


def keyed_header(*stored: Stored, keys: int = 2) -> Header:
    return replace(history().header, keys=keys, stored=stored)


def record(kind: AppKind, sequence: int, partition: int = -1) -> App:
    return App(at=sequence, kind=kind, instance=ME, partition=partition, sequence=sequence)


def kept(sequence: int, partition: int, offset: int = 0) -> Stored:
    return Stored(partition=partition, offset=offset, instance=ME, sequence=sequence)


def partitions(header: Header, *events: Event) -> list[int]:
    return [item.partition for item in with_partitions(header, list(events), ME) if isinstance(item, App)]


def test_a_record_belongs_to_the_partition_that_its_acknowledgement_names() -> None:
    sent, done = record(AppKind.SENT, 4), record(AppKind.ACKED, 4, BYSTANDER)
    assert partitions(keyed_header(), sent, done) == [BYSTANDER, BYSTANDER]


def test_a_record_without_an_outcome_belongs_to_the_partition_of_its_key() -> None:
    events = (record(AppKind.ACKED, 1, BYSTANDER), record(AppKind.SENT, 3), record(AppKind.SEND_ERROR, 3))
    assert partitions(keyed_header(), *events) == [BYSTANDER, BYSTANDER, BYSTANDER]
    assert partitions(keyed_header(kept(7, BYSTANDER)), record(AppKind.SENT, 3)) == [BYSTANDER]
    assert partitions(keyed_header(), record(AppKind.SENT, 3)) == [-1]


def test_without_keys_events_stay_as_they_are() -> None:
    events: list[Event] = [record(AppKind.SENT, 3)]
    assert with_partitions(keyed_header(keys=0), events, ME) is events


def test_one_success_is_a_record_of_every_key_of_the_affected_partition() -> None:
    apps = [record(AppKind.ACKED, number, AFFECTED if number < 3 else BYSTANDER) for number in range(4)]
    assert beat(keyed_header(keys=4), apps) == 3
    assert beat(keyed_header(keys=4), []) == 1


def test_a_key_in_two_partitions_breaks_a_promise_unless_the_topic_has_grown() -> None:
    moved_key = (kept(0, AFFECTED), kept(2, BYSTANDER))
    assert strayed(keyed_header(*moved_key)) == ("1 key in two partitions",)
    assert not strayed(keyed_header(kept(0, AFFECTED), kept(1, BYSTANDER)))
    assert not strayed(keyed_header(*moved_key, kept(1, 2)))


def keyed(*stored: Stored) -> Verdict:
    """Judge an idempotent producer with two keys, both in the affected partition, and these records in the log."""
    found = history(settings={"idempotence": "true"}, bystander=False, keys=2)
    return judge(History(replace(found.header, stored=stored), found.events))


def test_order_is_judged_by_key() -> None:
    ours = [item.sequence for item in history(bystander=False).header.stored]
    in_order = [kept(number, AFFECTED, offset) for offset, number in enumerate(ours)]
    crossed = [*in_order[1:2], *in_order[:1], *in_order[2:]]
    same_key = [*in_order[2:3], *in_order[:2], *in_order[3:]]
    assert keyed(*_placed(in_order)).facts.reordered == 0
    assert keyed(*_placed(crossed)).facts.reordered == 0
    assert keyed(*_placed(same_key)).facts.reordered == 1


def _placed(records: list[Stored]) -> list[Stored]:
    return [replace(item, offset=offset) for offset, item in enumerate(records)]


def test_records_that_nobody_sent_are_judged_by_key() -> None:
    ours = [kept(item.sequence, AFFECTED, at) for at, item in enumerate(history(bystander=False).header.stored)]
    assert keyed(*ours).facts.phantom == 0
    elsewhere = keyed(*ours, replace(ours[-1], partition=2))
    assert (elsewhere.facts.phantom, elsewhere.facts.duplicated) == (0, 1)
    assert keyed(*ours, kept(7000, AFFECTED, 7000)).facts.phantom == 1
