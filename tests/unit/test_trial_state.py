"""Events of the judged instance are separated from those of other instances."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.model import (
    App,
    AppKind,
    Closed,
    EngineEvent,
    EngineKind,
    Folded,
    History,
    Mark,
    Opened,
    Request,
    Response,
    Role,
    Row,
)
from probe.recorder import Recorder
from probe.runner.trial.state import TrialState, events_of, without_others
from tests.support.histories import history
from tests.support.real_cells import planned
from tests.support.transcript import AFFECTED, ME, METADATA, NEW, OLD, PRODUCE, TOPIC
from tests.support.transcript_steps import acked, announced, fault_on, moved

CONN, AT = 900, 12_000_000


def with_others() -> History:
    """Return a trial to which another instance and a silent client are connected as well."""
    ours = history(fault_on(), moved(), announced(), acked(3))
    mine = tuple(replace(event, client_id=ME) if isinstance(event, Request) else event for event in ours.events)
    theirs = (
        Opened(at=AT, conn=CONN, broker=OLD),
        Request(at=AT + 1, conn=CONN, broker=OLD, corr=1, api=PRODUCE, version=7, client_id="first"),
        EngineEvent(at=AT + 1, kind=EngineKind.SLOWED, broker=OLD, value=5, conn=CONN),
        Closed(at=AT + 2, conn=CONN, broker=OLD, by="relay"),
        Opened(at=AT + 3, conn=CONN + 1, broker=NEW),
        App(at=AT + 4, kind=AppKind.ACKED, instance="first", partition=AFFECTED),
    )
    subject = replace(ours.header.subject, client_id=ME)
    return History(replace(ours.header, subject=subject), (*mine, *theirs))


def test_only_the_judged_instance_counts() -> None:
    whole = with_others()
    kept = events_of(whole, ME)
    assert len(kept.events) == len(whole.events) - 6
    assert not [event for event in kept.events if getattr(event, "conn", 0) >= CONN]
    assert {event.instance for event in kept.events if isinstance(event, App)} == {ME}
    assert [event for event in kept.events if isinstance(event, EngineEvent | Mark)]


def test_a_history_has_what_passed_until_now() -> None:
    recorder, passed = Recorder(), Opened(at=AT, conn=CONN, broker=OLD)
    state = TrialState(planned("sarama@1.43.3", "disk/storage-error"), history().header, recorder)
    state.read_on = lambda: recorder.add(passed)
    assert state.history().events == (passed,)


def test_the_next_instance_keeps_only_events_of_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    item = planned("sarama@1.43.3", "start-during/disk/storage-error", str(Role.PRODUCER))
    whole = with_others()
    state = TrialState(item, whole.header, Recorder(), fault_at=AT)
    for event in whole.events:
        state.on_event(event)
    monkeypatch.setattr("probe.runner.trial.state.now_us", lambda: AT + 7_000_000)
    state.go_on_with(replace(whole.header.subject, instance="me-2", client_id="me-2"))
    assert all(isinstance(event, EngineEvent | Mark) for event in state.history().events)
    assert state.history().header.play.watch_ms == whole.header.play.watch_ms + 7000
    assert state.history().header.settings == {}


OURS = (Row(topic=TOPIC, partition=0, leader=1, epoch=9), Row(topic=TOPIC, partition=1, leader=1, epoch=5))
OTHERS = (*(Row(topic="other-01", partition=number, leader=1) for number in range(3)), Row(topic="other-02", code=5))
UNKNOWN = (Row(topic="?c2VjcmV0", code=100),)


def metadata(*rows: Row) -> Response:
    return Response(at=AT, conn=1, broker=OLD, corr=1, api=METADATA, version=9, sent_at=AT, rows=rows)


def test_partitions_of_other_topics_are_counted_and_not_kept() -> None:
    seen = without_others(metadata(*OTHERS, *OURS, *UNKNOWN), TOPIC)
    assert seen == replace(metadata(*OURS, *UNKNOWN), others=3)


def test_an_answer_about_the_topic_alone_stays_as_it_is() -> None:
    answer = metadata(*OURS)
    assert without_others(answer, TOPIC) is answer


def test_folded_answers_keep_no_rows_of_other_topics() -> None:
    span = {"until": AT, "conn": 1, "broker": OLD, "version": 9, "requests": 2, "responses": 2}
    assert without_others(Folded(at=AT, api=METADATA, rows=(*OURS, *OTHERS), **span), TOPIC) == Folded(
        at=AT, api=METADATA, rows=OURS, **span
    )


def test_requests_name_what_the_client_asked_for() -> None:
    asked = Request(at=AT, conn=1, broker=OLD, corr=1, api=METADATA, version=9, rows=OTHERS)
    assert without_others(asked, TOPIC) is asked
