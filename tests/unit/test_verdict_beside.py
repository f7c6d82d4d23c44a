"""The bystander of a coordinator is a second instance: its application counts, its traffic does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probe import verdict
from probe.model import (
    App,
    AppKind,
    Closed,
    EngineKind,
    History,
    Opened,
    Outcome,
    Request,
    Response,
    Role,
    Target,
    Verdict,
)
from probe.protocol import apis
from probe.verdict.bystander import bystander_gaps
from probe.verdict.wire_evidence import WireEvidence
from tests.support.histories import history
from tests.support.transcript import (
    BEAT,
    BLIP,
    COMMIT,
    COORDINATOR,
    FINAL,
    FIND,
    GROUP,
    HEARTBEAT,
    NEW,
    OLD,
    ZERO,
    Script,
)
from tests.support.transcript_steps import (
    Step,
    acked,
    announced,
    app,
    at,
    call,
    committed,
    engine,
    fault_on,
    fetched,
    healed,
    moved,
    produce_answer,
    row,
    transactions,
    wait,
    watch,
)

OTHER, KEY = "me-b", "g-b"
CONN = 900


def bystander_events(*pauses: range, error_at: int | None = None, until: int = 20_000) -> Step:
    """Add the events of another instance during the whole trial."""

    def step(script: Script) -> None:
        script.add(Opened(at=ZERO - 2_000_000, conn=CONN, broker=OLD))
        script.add(
            Request(at=ZERO - 1_900_000, conn=CONN, broker=OLD, corr=1, api=HEARTBEAT, version=4, client_id=OTHER)
        )
        for ms in range(-500, until, BEAT // 1000):
            if not any(ms in pause for pause in pauses):
                script.add(App(at=ZERO + ms * 1000, kind=AppKind.RECEIVED, instance=OTHER, partition=0, offset=ms))
        if error_at is not None:
            script.add(App(at=ZERO + error_at * 1000, kind=AppKind.COMMIT_ERROR, instance=OTHER))
        script.add(Closed(at=ZERO + 1_000_000, conn=CONN, broker=OLD, by="client"))
        script.add(App(at=ZERO + (until + 11_000) * 1000, kind=AppKind.CLOSED, instance=OTHER))

    return step


def with_bystander(*steps: Step, **more: Any) -> History:
    found = history(*steps, role=Role.GROUP, play=COORDINATOR, **more)
    with_other = replace(found.header.subject, bystander_instance=OTHER, bystander_key=KEY)
    return replace(found, header=replace(found.header, subject=with_other))


def moves() -> tuple[Step, ...]:
    beat = call(HEARTBEAT, OLD, row(key=GROUP), answer=(row(key=GROUP, code=16),))
    find = call(FIND, OLD, row(key=GROUP, key_type=0), answer=(row(key=GROUP, key_type=0, leader=NEW),))
    return (
        fault_on(),
        moved(NEW, key=GROUP, topic="", partition=-1),
        announced(NEW, key=GROUP, topic="", partition=-1),
        beat,
        find,
        fetched(3),
        committed(NEW),
        fetched(20),
        watch(10_000),
    )


def judged(*more: Step) -> Verdict:
    return verdict.judge(with_bystander(*moves(), *more))


def test_gaps_and_errors_of_the_bystander_stay_separate() -> None:
    quiet = judged(bystander_events())
    assert (quiet.outcome, quiet.conforms, quiet.facts.bystander_gap_ms) == (Outcome.REFRESHES, True, 100)
    paused = judged(bystander_events(range(1000, 6000)))
    assert (paused.outcome, paused.conforms) == (Outcome.REFRESHES, False)
    assert paused.facts.bystander_gap_ms == 5100
    assert paused.reason.endswith("; nothing for the bystander in 5.1 s")
    failed = judged(bystander_events(error_at=2000))
    assert (failed.facts.errors_surfaced, failed.facts.bystander_errors, failed.conforms) == (0, 1, False)
    assert failed.reason.endswith("; 1 error about the bystander")
    assert "bystander" not in quiet.reason


def commit_of_the_bystander(since: int, until: int, code: int = 0, api: int = COMMIT) -> Step:
    """Let the other instance's coordinator answer a request after some time, in ms."""

    def step(script: Script) -> None:
        asked: dict[str, Any] = {"conn": CONN, "broker": OLD, "corr": since, "api": api, "version": 8}
        sent_at = ZERO + since * 1000
        script.add(Request(at=sent_at, client_id=OTHER, **asked))
        script.add(Response(at=ZERO + until * 1000, sent_at=sent_at, rows=(row(key=KEY, code=code),), **asked))

    return step


@pytest.mark.parametrize("code", [0, 7])
def test_what_brokers_keep_of_the_bystander_is_no_gap_of_its_own(code: int) -> None:
    """A commit waits for a dead replica in sync until the controller fences it (Java 3.9.2, broker/kill on 3.9)."""
    paused = bystander_events(range(1000, 6000))
    found = judged(commit_of_the_bystander(1000, 5900, code), paused)
    assert (found.facts.bystander_gap_ms, found.facts.bystander_own_gap_ms) == (5100, 200)
    assert (found.outcome, found.conforms) == (Outcome.REFRESHES, True)
    assert "bystander" not in found.reason
    partly = judged(commit_of_the_bystander(1000, 2000, code), paused)
    assert (partly.facts.bystander_own_gap_ms, partly.conforms) == (4100, False)
    assert partly.reason.endswith("; nothing for the bystander in 4.1 s, without what brokers kept it waiting")


def test_a_join_that_waits_for_others_is_a_gap_of_the_bystander() -> None:
    found = judged(commit_of_the_bystander(1000, 5900, api=apis.JOIN_GROUP), bystander_events(range(1000, 6000)))
    assert (found.facts.bystander_own_gap_ms, found.conforms) == (5100, False)


def test_traffic_of_the_bystander_is_no_evidence() -> None:
    with_other = judged(bystander_events())
    without = verdict.judge(history(*moves(), role=Role.GROUP, play=COORDINATOR))
    assert with_other.facts.connects == without.facts.connects
    assert not verdict.certain(with_bystander(*moves()[:3], bystander_events(until=-20_000), running=True))


def test_a_coordinator_may_have_no_bystander() -> None:
    alone = verdict.judge(history(*moves(), role=Role.GROUP, play=COORDINATOR, bystander=False))
    assert (alone.facts.bystander_gap_ms, alone.conforms) == (None, True)


def test_a_transaction_spans_both_partitions() -> None:
    steps = (fault_on(), produce_answer(7), at(3000), healed(), transactions(60, OLD))
    error = app(AppKind.SEND_ERROR, 7, partition=1, sequence=3)
    found = verdict.judge(history(*steps, watch(10_000), play=BLIP, role=Role.TRANSACTIONAL, bystander=(0, 3000)))
    assert (found.outcome, found.facts.bystander_gap_ms, found.conforms) == (Outcome.RIDES, None, True)
    failed = verdict.judge(history(*steps, error, watch(10_000), play=BLIP, role=Role.TRANSACTIONAL))
    assert (failed.outcome, failed.facts.bystander_errors) == (Outcome.SURFACES, 0)


def test_a_fault_on_the_whole_topic_leaves_no_bystander() -> None:
    play = replace(FINAL, target=Target.CLUSTER, codes=(3,))
    gone = history(
        fault_on(),
        call(0, OLD, row(), answer=(row(code=3),)),
        app(AppKind.SEND_ERROR, 3, partition=0, sequence=1),
        app(AppKind.SEND_ERROR, 3, partition=1, sequence=1),
        watch(10_000),
        play=play,
        bystander=(0, 60_000),
    )
    found = verdict.judge(gone)
    assert (found.outcome, found.facts.bystander_errors, found.facts.bystander_gap_ms) == (Outcome.SURFACES, 0, None)


def test_a_working_client_is_no_longer_waiting() -> None:
    hidden = (fault_on(), call(0, OLD, row(), answer=(row(code=10),)), healed())
    slow = {"limits": replace(history().header.limits, own_limit_ms=60_000), "play": FINAL}

    works = history(*hidden, acked(100, OLD), watch(10_000), **slow)
    silent = history(*hidden, wait(1000), watch(10_000), **slow)
    assert verdict.judge(works).outcome is Outcome.STUCK
    assert verdict.judge(silent).outcome is Outcome.WAITING


@pytest.mark.parametrize(("told_at", "own_ms"), [(6000, 1100), (None, 7100)])
def test_a_group_without_a_coordinator_is_kept_waiting(told_at: int | None, own_ms: float) -> None:
    """It commits both partitions at the broker that is stopped (Java 3.9.2, broker/slow-recovery on 3.9)."""
    early = (at(-500), call(COMMIT, OLD, row(key=GROUP), answer=(row(key=GROUP),)), at(0), fault_on())
    down = (at(1), engine(EngineKind.STOPPED, broker=OLD))
    named = (row(key=GROUP, key_type=0, leader=NEW),)
    asked = () if told_at is None else (at(told_at), call(FIND, NEW, row(key=GROUP, key_type=0), answer=named))
    found = history(*early, *down, *asked, watch(10_000), play=BLIP, role=Role.GROUP, bystander=(0, 7000))
    gaps = bystander_gaps(WireEvidence(found))
    assert gaps.longest == pytest.approx(7100, abs=101)
    assert gaps.own == pytest.approx(own_ms, abs=101)
