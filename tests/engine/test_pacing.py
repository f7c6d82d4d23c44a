"""The intervals of a trial's operations: short around the fault, long otherwise."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.model import App, AppKind, Engine, EngineEvent, EngineKind, Mark, MarkKind, Outcome, Role
from probe.model.paces import IDLE_INTERVAL_MS, OWN, SLOW_INTERVAL_MS, TRANSACTION_INTERVAL_MS
from probe.model.roles import ROLES
from probe.recorder import Recorder
from probe.runner.trial import pacing as module
from probe.runner.trial.pacing import (
    APART_MS,
    AWAY_MS,
    BEYOND_MS,
    BURST_LEAD_MS,
    BURST_MS,
    EASE_SHARE,
    FAULT_WINDOW_MS,
    FULL_RATE_LEAD_S,
    MOST_EASE_MS,
    PROOF_SUCCESSES,
    STEADY_MS,
    Pacing,
)
from probe.runner.trial.state import TrialState
from probe.verdict.patience import SELDOM_MS
from tests.support.histories import history
from tests.support.real_cells import planned, play

SECOND = 1_000_000


class Trial:
    """A trial without a client: a clock, a recorder, and the intervals requested of instance and feed."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        scenario: str,
        role: Role,
        engine: Engine = Engine.EMBEDDED,
        *,
        second: bool = False,
        full_pace: bool = False,
    ) -> None:
        self.at = 100 * SECOND
        self.asked: list[tuple[str, int]] = []
        monkeypatch.setattr(module, "now_us", lambda: self.at)
        item = planned("sarama@1.43.3", scenario, str(role), engine=engine, brokers=["3.9"])
        item = replace(item, at_full_pace=full_pace)
        header = history(role=role).header
        self.state = TrialState(item, replace(header, play=item.expectation), Recorder(), fault_at=self.at)

        async def feed(interval_ms: int) -> None:
            self.asked.append(("feed", interval_ms))

        instance: Any = SimpleNamespace(set_interval=lambda interval_ms: self.asked.append(("work", interval_ms)))

        async def gather() -> None:
            self.asked.append(("gather", 0))

        cluster: Any = SimpleNamespace(set_interval=feed, await_cohort=gather)
        bystander: Any = SimpleNamespace(set_interval=lambda interval_ms: self.asked.append(("bystander", interval_ms)))
        self.eased: list[int] = []
        self.pacing = Pacing(self.state, cluster, instance, bystander if second else None, self.eased.append)

    def engine(self, kind: EngineKind) -> None:
        self.state.on_event(EngineEvent(at=self.at, kind=kind, broker=2))

    def succeed(self, kind: AppKind, count: int) -> None:
        for _ in range(count):
            self.state.on_event(App(at=self.at, kind=kind, instance="me", partition=0))

    def adapt(self) -> list[tuple[str, int]]:
        """Adapt the intervals; return the requests of this call."""
        self.asked.clear()
        asyncio.run(self.pacing.adapt())
        return list(self.asked)


def test_a_client_that_stands_still_to_the_end_is_asked_seldom_and_answered_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = Trial(monkeypatch, "disk/storage-error", Role.PRODUCER)
    trial.state.header = replace(trial.state.header, limits=replace(trial.state.header.limits, to_the_end=True))
    trial.engine(EngineKind.ANNOUNCED)
    trial.at += trial.state.header.play.watch_ms * 1000
    assert trial.adapt() == [("work", IDLE_INTERVAL_MS)]
    trial.at += SECOND
    assert trial.adapt() == [("work", SELDOM_MS)]
    assert trial.eased == [11_000 // EASE_SHARE]
    assert trial.pacing.is_seldom
    trial.at += 400 * SECOND
    assert trial.adapt() == []
    assert trial.eased[-1] == MOST_EASE_MS
    trial.succeed(AppKind.ACKED, 1)
    assert trial.adapt() == [("work", SLOW_INTERVAL_MS)]
    assert trial.eased[-1] == 0
    assert not trial.pacing.is_seldom


def test_at_full_pace_a_client_that_stands_still_works_as_around_the_fault_and_is_answered_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = Trial(monkeypatch, "disk/storage-error", Role.PRODUCER, full_pace=True)
    trial.state.header = replace(trial.state.header, limits=replace(trial.state.header.limits, to_the_end=True))
    trial.engine(EngineKind.ANNOUNCED)
    trial.at += trial.state.header.play.watch_ms * 1000 + SECOND
    assert trial.adapt() == []
    trial.at += 400 * SECOND
    assert trial.adapt() == []
    assert trial.eased == []
    assert not trial.pacing.is_seldom


def test_the_interval_is_short_until_the_client_recovers(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "disk/storage-error", Role.PRODUCER)
    trial.succeed(AppKind.ACKED, 100)
    assert trial.adapt() == []
    trial.engine(EngineKind.ANNOUNCED)
    assert trial.adapt() == []
    trial.succeed(AppKind.ACKED, PROOF_SUCCESSES - 1)
    assert trial.adapt() == []
    trial.succeed(AppKind.ACKED, 1)
    assert trial.adapt() == [("work", IDLE_INTERVAL_MS)]
    assert trial.adapt() == []
    marks = [event for event in trial.state.history().events if isinstance(event, Mark)]
    assert [(mark.kind, mark.text) for mark in marks] == [(MarkKind.PACED, str(IDLE_INTERVAL_MS))]


def test_a_late_client_has_a_long_interval_until_it_succeeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = Trial(monkeypatch, "disk/storage-error", Role.PRODUCER)
    trial.engine(EngineKind.ANNOUNCED)
    assert trial.adapt() == []
    trial.at += (trial.state.header.play.prompt_ms + BEYOND_MS) * 1000
    assert trial.adapt() == []
    trial.at += 1
    assert trial.adapt() == [("work", IDLE_INTERVAL_MS)]
    trial.succeed(AppKind.ACKED, 1)
    assert trial.adapt() == [("work", SLOW_INTERVAL_MS)]
    trial.succeed(AppKind.ACKED, PROOF_SUCCESSES)
    assert trial.adapt() == [("work", IDLE_INTERVAL_MS)]


def test_another_move_shortens_the_interval_of_work_and_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "disk/storage-error", Role.CONSUMER)
    short_ms = trial.state.item.pace.work_ms
    trial.engine(EngineKind.ANNOUNCED)
    trial.adapt()
    trial.succeed(AppKind.RECEIVED, PROOF_SUCCESSES)
    assert ("feed", IDLE_INTERVAL_MS) in trial.adapt()
    trial.at += SECOND
    trial.engine(EngineKind.ANNOUNCED)
    assert trial.adapt() == [("work", short_ms), ("feed", short_ms)]


def test_the_interval_is_long_during_a_known_election(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "leader/election-slow", Role.PRODUCER)
    fault, short_ms, election_ms = trial.at, trial.state.item.pace.work_ms, trial.state.header.play.election_ms
    assert election_ms is not None
    trial.at = fault + FAULT_WINDOW_MS * 1000
    assert trial.adapt() == []
    trial.at += 1
    assert trial.adapt() == [("work", SLOW_INTERVAL_MS)]
    trial.at = fault + (election_ms - round(FULL_RATE_LEAD_S * 1000)) * 1000
    assert trial.adapt() == [("work", short_ms)]


def test_a_client_that_works_around_the_fault_slows_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client uses another API version or address, and nothing more is measured."""
    trial = Trial(monkeypatch, "api/unsupported", Role.PRODUCER)
    trial.succeed(AppKind.ACKED, 100)
    assert trial.adapt() == []
    trial.at += (FAULT_WINDOW_MS + BEYOND_MS) * 1000 + 1
    trial.succeed(AppKind.ACKED, PROOF_SUCCESSES - 1)
    assert trial.adapt() == []
    trial.succeed(AppKind.ACKED, 1)
    assert trial.adapt() == [("work", IDLE_INTERVAL_MS)]
    trial.engine(EngineKind.HEALED)
    assert trial.adapt() == [("work", trial.state.item.pace.work_ms)]


def test_a_group_under_a_coordinator_fault_starts_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "coordinator/moved", Role.GROUP)
    assert trial.state.item.pace.work_ms == SLOW_INTERVAL_MS
    trial.engine(EngineKind.ANNOUNCED)
    trial.adapt()
    assert trial.adapt() == []
    trial.succeed(AppKind.RECEIVED, PROOF_SUCCESSES)
    assert trial.adapt() == [("work", IDLE_INTERVAL_MS), ("feed", IDLE_INTERVAL_MS)]


def test_a_long_observation_keeps_its_long_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "broker/hang", Role.PRODUCER)
    assert trial.state.item.pace.work_ms > SLOW_INTERVAL_MS
    trial.engine(EngineKind.ANNOUNCED)
    trial.adapt()
    trial.succeed(AppKind.ACKED, PROOF_SUCCESSES)
    assert trial.adapt() == []


def test_transactions_on_real_brokers_have_a_long_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "coordinator/moved", Role.TRANSACTIONAL, Engine.KAFKA)
    assert trial.state.item.pace.work_ms == TRANSACTION_INTERVAL_MS > IDLE_INTERVAL_MS
    trial.engine(EngineKind.ANNOUNCED)
    trial.at += (trial.state.header.play.prompt_ms + BEYOND_MS) * 1000 + 1
    assert trial.adapt() == []


@pytest.mark.parametrize("role", [Role.PRODUCER, Role.CONSUMER])
@pytest.mark.parametrize("scenario", ["disk/storage-error", "broker/kill", "broker/hang"])
def test_traffic_on_real_brokers_is_as_on_the_fake_until_the_client_serves_again(
    monkeypatch: pytest.MonkeyPatch, scenario: str, role: Role
) -> None:
    trial = Trial(monkeypatch, scenario, role, Engine.KAFKA)
    asyncio.run(trial.pacing.speed_up())
    assert ("work", OWN.work_ms) in trial.asked
    trial.at += (FAULT_WINDOW_MS + 1) * 1000  # an election of known length
    assert trial.adapt() == []
    trial.engine(EngineKind.ANNOUNCED)
    trial.at += (trial.state.header.play.prompt_ms + BEYOND_MS) * 1000 + 1  # the client is late
    assert trial.adapt() == []
    trial.succeed(AppKind.RECEIVED if ROLES[role].reads else AppKind.ACKED, PROOF_SUCCESSES)
    assert ("work", IDLE_INTERVAL_MS) in trial.adapt()


@pytest.mark.parametrize("engine", list(Engine))
def test_waiting_members_slow_down_until_shortly_before_the_fault(
    monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    async def slept(seconds: float) -> None:
        trial.asked.append(("sleep", round(seconds * 1000)))

    async def play() -> None:
        await trial.pacing.wait(0.5)
        await trial.pacing.run_at_full_rate()

    monkeypatch.setattr(module.asyncio, "sleep", slept)
    trial = Trial(monkeypatch, "broker/kill", Role.PRODUCER, engine)
    asyncio.run(play())
    short_ms, full_ms = trial.state.item.pace.work_ms, APART_MS + STEADY_MS
    together = [("work", APART_MS), ("sleep", 500), ("gather", 0), ("work", short_ms), ("sleep", full_ms)]
    assert trial.asked == (together if engine is Engine.KAFKA else [("sleep", 500)])


@pytest.mark.real
@pytest.mark.parametrize("role", [Role.PRODUCER, Role.CONSUMER])
def test_a_real_trial_slows_down_after_its_recovery(role: Role) -> None:
    """The fake cluster writes at the new interval, too."""
    ((observed, verdict),) = play([planned("sarama@1.43.3", "leader/elected", str(role))])
    assert verdict.outcome in {Outcome.REFRESHES, Outcome.CLEAN}
    paced = [event.at for event in observed.events if isinstance(event, Mark) and event.kind is MarkKind.PACED]
    stopping = next(
        event.at for event in observed.events if isinstance(event, Mark) and event.kind is MarkKind.STOPPING
    )
    kind = {Role.PRODUCER: AppKind.SENT, Role.CONSUMER: AppKind.RECEIVED}[role]
    begun = [
        event.at for event in observed.events if isinstance(event, App) and event.kind is kind and not event.partition
    ]
    assert len(paced) == 1
    seconds = (stopping - paced[0]) / SECOND
    after = [at for at in begun if paced[0] + SECOND < at <= stopping]
    assert len(after) == pytest.approx((seconds - 1) * 1000 / IDLE_INTERVAL_MS, abs=2)
    assert len([at for at in begun if paced[0] - SECOND <= at < paced[0]]) >= 8
    bystander = [
        event.at for event in observed.events if isinstance(event, App) and event.kind is kind and event.partition
    ]
    assert len([at for at in bystander if paced[0] - SECOND <= at < paced[0]]) <= 1000 / OWN.bystander_ms + 1


def test_a_transactional_bystander_slows_down_after_recovery(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Around the fault a long interval would lengthen the reported gap of the bystander."""
    trial = Trial(monkeypatch, "coordinator/moved", Role.TRANSACTIONAL, Engine.KAFKA, second=True)
    short_ms, prompt_ms = trial.state.item.pace.work_ms, trial.state.header.play.prompt_ms
    asyncio.run(trial.pacing.wait(0))
    trial.engine(EngineKind.ANNOUNCED)
    assert trial.adapt() == []
    trial.succeed(AppKind.TXN_COMMITTED, PROOF_SUCCESSES)
    assert trial.adapt() == [("bystander", prompt_ms // 2)]
    trial.at += SECOND
    trial.engine(EngineKind.ANNOUNCED)
    assert trial.adapt() == [("bystander", short_ms)]
    trial.pacing.end_window()
    assert trial.asked[-1] == ("bystander", AWAY_MS)


@pytest.mark.parametrize(
    ("role", "engine"), [(Role.GROUP, Engine.KAFKA), (Role.TRANSACTIONAL, Engine.EMBEDDED)], ids=str
)
def test_other_bystander_instances_keep_their_interval(
    monkeypatch: pytest.MonkeyPatch, role: Role, engine: Engine
) -> None:
    """Consumers of a group read what is fed, and the fake cluster is not slowed by transactions."""
    trial = Trial(monkeypatch, "coordinator/moved", role, engine, second=True)
    trial.engine(EngineKind.ANNOUNCED)
    trial.succeed(AppKind.TXN_COMMITTED if role is Role.TRANSACTIONAL else AppKind.RECEIVED, PROOF_SUCCESSES)
    assert [one for one in trial.adapt() if one[0] == "bystander"] == []


def test_a_producer_rests_from_the_fault_on_and_then_works_in_a_burst(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "net/idle-closed", Role.PRODUCER)
    idle_ms, work_ms = trial.state.item.variant.idle_ms, trial.state.item.pace.work_ms
    asyncio.run(trial.pacing.rest())
    assert trial.asked == [("work", idle_ms)]
    assert trial.adapt() == []
    trial.at += BURST_LEAD_MS * 1000
    assert trial.adapt() == [("work", BURST_MS)]  # the driver adopts it when its rest is over
    trial.at += idle_ms * 1000
    trial.engine(EngineKind.HEALED)
    assert trial.adapt() == []
    assert trial.adapt() == [("work", work_ms)]


def test_readers_are_written_nothing_until_the_rest_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "net/idle-dropped", Role.CONSUMER)
    idle_ms, work_ms = trial.state.item.variant.idle_ms, trial.state.item.pace.work_ms
    asyncio.run(trial.pacing.rest())
    assert ("feed", idle_ms) in trial.asked
    trial.at += 2 * BURST_LEAD_MS * 1000
    assert trial.adapt() == []
    trial.engine(EngineKind.HEALED)
    assert ("feed", BURST_MS) in trial.adapt()
    assert ("feed", work_ms) in trial.adapt()


def test_a_scenario_without_a_rest_begins_at_full_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(monkeypatch, "net/reset", Role.PRODUCER)
    asyncio.run(trial.pacing.rest())
    assert trial.asked == []


@pytest.mark.parametrize(("engine", "asked"), [(Engine.EMBEDDED, ["work"]), (Engine.KAFKA, [])])
def test_a_client_with_a_real_quota_works_at_the_short_interval_throughout(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, asked: list[str]
) -> None:
    """A quota is a rate, so a client that works seldom would not exceed it."""
    trial = Trial(monkeypatch, "quota/throttled", Role.PRODUCER, engine)
    trial.adapt()
    trial.succeed(AppKind.ACKED, PROOF_SUCCESSES)
    assert [one for one, _ in trial.adapt()] == asked
