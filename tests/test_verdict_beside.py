"""A coordinator's bystander: a second instance of the same client, with another group at the same broker."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import history
from deeds import Step, announced, ask, at, call, committed, fault_on, fetched, moved, tell, watch
from script import COORDINATOR, GROUP, HEARTBEAT, NEW, OLD, ZERO

from probe.model import (
    App,
    AppKind,
    ClientError,
    Closed,
    Event,
    Expects,
    History,
    Opened,
    Outcome,
    Request,
    Response,
    Role,
    Row,
    Target,
)
from probe.verdict import certain, judge

BESIDE = "beside"
HIT = call(HEARTBEAT, OLD, Row(key=GROUP), answer=(Row(key=GROUP, code=16),), code=16)
GOOD: tuple[Step, ...] = (
    fault_on(), HIT, at(150), moved(topic="", key=GROUP), announced(topic="", key=GROUP),
    ask(), tell(NEW), fetched(10, OLD), committed(NEW), fetched(70, OLD),
)  # fmt: skip


def trial(*extra: Event, **more: object) -> History:
    plain = history(*GOOD, watch(10_000), play=COORDINATOR, role=Role.GROUP, bystander=False)
    header = replace(plain.header, subject=replace(plain.header.subject, bystander_instance=BESIDE), **more)
    return History(header, tuple(sorted((*plain.events, *extra), key=lambda event: event.at)))


def beside(kind: AppKind, ms: int, error: ClientError | None = None) -> App:
    return App(at=ZERO + ms * 1000, kind=kind, instance=BESIDE, partition=0, offset=ms, error=error)


def working(*ms: int) -> list[Event]:
    return [beside(AppKind.RECEIVED, at) for at in ms]


def test_it_serves() -> None:
    found = judge(trial(*working(*range(-500, 10_000, 100))))
    assert (found.outcome, found.conforms) == (Outcome.REFRESHES, True)
    assert found.facts.bystander_gap_ms == 100


def test_its_gap_and_its_errors_are_the_bystanders() -> None:
    stalled = judge(trial(*working(*range(0, 1000, 100), *range(5000, 10_000, 100))))
    assert (stalled.facts.bystander_gap_ms, stalled.conforms) == (4100, False)
    told = judge(trial(*working(*range(0, 10_000, 100)), beside(AppKind.COMMIT_ERROR, 500, ClientError(16, "", "E"))))
    assert (told.facts.bystander_errors, told.facts.errors_surfaced, told.conforms) == (1, 0, False)


def test_its_records_do_not_count_as_the_clients() -> None:
    plain = history(*GOOD[:7], watch(10_000), play=COORDINATOR, role=Role.GROUP, bystander=False)
    header = replace(plain.header, subject=replace(plain.header.subject, bystander_instance=BESIDE))
    events = sorted((*plain.events, *working(*range(0, 10_000, 100))), key=lambda event: event.at)
    assert judge(History(header, tuple(events))).facts.recovered is False


def test_its_traffic_is_nobodys_evidence() -> None:
    wire = {"conn": 77, "broker": OLD, "corr": 1, "api": HEARTBEAT, "version": 4}
    rows = (Row(key=GROUP, code=16),)
    traffic: list[Event] = [
        Opened(at=ZERO + 500, conn=77, broker=OLD),
        Request(at=ZERO + 600, client_id=BESIDE, rows=rows, **wire),
        Response(at=ZERO + 700, sent_at=ZERO + 600, rows=rows, code=16, **wire),
        Closed(at=ZERO + 800, conn=77, broker=OLD, by="relay"),
    ]
    quiet, noisy = judge(trial()).facts, judge(trial(*traffic)).facts
    assert (noisy.fault_hits, noisy.connects) == (quiet.fault_hits, quiet.connects)


@pytest.mark.parametrize("kind", [AppKind.CLOSED, AppKind.FATAL])
def test_its_end_is_not_the_clients(kind: AppKind) -> None:
    ended = trial(*working(*range(0, 10_000, 100)), beside(kind, 2000))
    assert judge(ended).outcome is Outcome.REFRESHES
    early = History(ended.header, tuple(event for event in ended.events if event.at < ZERO + 3_000_000))
    assert not certain(replace(early, header=replace(early.header, watched_ms=0)))


def test_where_the_whole_cluster_is_hit_there_is_none() -> None:
    play = replace(COORDINATOR, target=Target.CLUSTER, expects=Expects.RETRY)
    found = judge(history(*GOOD, watch(10_000), play=play, role=Role.GROUP))
    assert found.facts.bystander_gap_ms is None
