"""Trials played by small rules, and verdicts about them: what the site draws."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from probe.model import (
    App,
    AppKind,
    Cell,
    ClientError,
    Closed,
    EngineEvent,
    EngineKind,
    Event,
    Expectation,
    Facts,
    Header,
    History,
    Limits,
    Mark,
    MarkKind,
    Opened,
    Outcome,
    Reaction,
    Request,
    Reroute,
    Response,
    Role,
    Row,
    Subject,
    Symptom,
    Target,
    Trigger,
    Verdict,
)
from probe.model.outcomes import SAY_NOTHING, WELL

NASTY = "<script>alert(1)</script> & \"quoted\" 'text'"


@dataclass(slots=True)
class Player:
    """Plays one trial of a producer or consumer, 100 ms a beat."""

    cell: Cell
    outcome: Outcome
    seed: int
    events: list[Event] = field(default_factory=list)
    corr: int = 0

    END = 12_000

    def play(self) -> list[Event]:
        chance = random.Random(self.seed)
        hit = None if self.outcome in {Outcome.CLEAN, Outcome.NOT_PROVOKED} else 40 + chance.randrange(60)
        recovers = self._recovers(hit)
        self._frame(hit)
        for beat in range(-30, self.END // 100):
            at = beat * 100 + chance.randrange(8)
            self._operation(at, 1, 3, code=0)
            faulted = hit is not None and at >= hit and (recovers is None or at < recovers)
            moved = hit is not None and at >= hit and not faulted
            if faulted and self.outcome not in {Outcome.STUCK, Outcome.WAITING, Outcome.SURFACES, Outcome.LATE}:
                self._blocked(at, hit or 0)
            else:
                self._operation(at, 0, 2 if moved else 1, code=56 if faulted else 0)
        self._discoveries(hit, recovers)
        return sorted(self.events, key=lambda event: event.at)

    def _recovers(self, hit: int | None) -> int | None:
        if hit is None or self.outcome in {Outcome.STUCK, Outcome.WAITING, Outcome.FATAL}:
            return None
        return hit + {Outcome.LATE: 6200, Outcome.SURFACES: 900}.get(self.outcome, 330)

    def _frame(self, hit: int | None) -> None:
        for broker in (1, 2, 3):
            self.events.append(Opened(at=us(-2990 + broker), conn=broker, broker=broker))
        self.events.append(Mark(at=us(-1000), kind=MarkKind.WARM))
        self._engine(0, EngineKind.FAULT_ON, 1)
        if hit is not None:
            self._engine(hit + 150, EngineKind.MOVED, 2)
            self._engine(hit + 190, EngineKind.ANNOUNCED, 2)
        self._engine(10_000, EngineKind.HEALED, 1)
        self.events.append(Mark(at=us(11_500), kind=MarkKind.STOPPING))

    def _engine(self, at: int, kind: EngineKind, broker: int) -> None:
        self.events.append(EngineEvent(at=us(at), kind=kind, broker=broker, topic="t", partition=0))

    def _operation(self, at: int, partition: int, broker: int, *, code: int) -> None:
        consumer = self.cell.role is Role.CONSUMER
        if not consumer:
            self.events.append(self._app(at, AppKind.SENT, partition))
        self._pair(at + 2, at + 9, broker, 1 if consumer else 0, partition, code=code)
        if not code:
            self.events.append(self._app(at + 11, AppKind.RECEIVED if consumer else AppKind.ACKED, partition))
        elif self.outcome is not Outcome.LATE:
            error = ClientError(56, "KAFKA_STORAGE_ERROR", "KError", NASTY)
            kind = AppKind.RECEIVE_ERROR if consumer else AppKind.SEND_ERROR
            self.events.append(replace(self._app(at + 11, kind, partition), error=error))

    def _blocked(self, at: int, hit: int) -> None:
        """The library keeps the operation and tries again; here it meets the error once more within 250 ms."""
        self.events.append(self._app(at, AppKind.SENT, 0))
        if at < hit + 250:
            self._pair(at + 2, at + 9, 1, 0, 0, code=56)

    def _discoveries(self, hit: int | None, recovers: int | None) -> None:
        if hit is None or self.outcome in {Outcome.STUCK, Outcome.FATAL, Outcome.WAITING}:
            return
        self._ask(126, 3, 1)  # the first beat that meets the error begins at 100 ms
        self._ask(hit + 240, 2, 2)
        if self.outcome is Outcome.STORMS:
            for index in range(90):
                self._ask(hit + 400 + 90 * index, 2, 2)
        if self.outcome is Outcome.LATE and recovers:
            self.events.append(Closed(at=us(recovers - 150), conn=1, broker=1, by="broker"))
            self.events.append(Opened(at=us(recovers - 120), conn=4, broker=2))
            self._ask(recovers - 100, 2, 2)

    def _ask(self, at: int, broker: int, named: int) -> None:
        self._pair(at, at + 4, broker, 3, 0, leader=named)

    def _pair(
        self, at: int, then: int, broker: int, api: int, partition: int, *, code: int = 0, leader: int | None = None
    ) -> None:
        self.corr += 1
        asked = Row(topic="t", partition=partition)
        told = replace(asked, code=code, leader=leader)
        request = Request(at=us(at), conn=broker, broker=broker, corr=self.corr, api=api, version=7, rows=(asked,))
        self.events.append(request)
        self.events.append(
            Response(
                at=us(then),
                conn=broker,
                broker=broker,
                corr=self.corr,
                api=api,
                version=7,
                sent_at=us(at),
                rows=(told,),
            )
        )

    def _app(self, at: int, kind: AppKind, partition: int) -> App:
        return App(at=us(at), kind=kind, instance="i", partition=partition, sequence=self.corr)


def us(ms: int) -> int:
    """Milliseconds since the fault on the trial's own clock."""
    return 50_000_000 + ms * 1000


def play(cell: Cell, trial: int, outcome: Outcome) -> History:
    header = Header(
        cell=cell,
        trial=trial,
        seed=7 * trial + 1,
        play=Expectation(kind=Symptom.ANSWER, expects=Reaction.DISCOVER, target=Target.LEADER, codes=(56,)),
        limits=Limits(back_off_ms=100),
        subject=Subject(topic="t", affected=0, bystander=1, instance="i", client_id="c", old=1, bootstrap=(1, 2, 3)),
        settings={"acks": "all", "retries": "3", "refresh_ms": "-1", "odd": NASTY},
        artifact=f"github.com/example/{cell.family}@v{cell.version}",
        watched_ms=10_000,
    )
    return History(header, tuple(Player(cell, outcome, 7 * trial + 1).play()))


def judge(cell: Cell, outcome: Outcome, trial: int) -> Verdict:
    """A verdict as the rules would give it, with the facts the site shows."""
    good = outcome in WELL
    hard = outcome in {Outcome.STUCK, Outcome.WAITING, Outcome.FATAL}
    faulted = outcome not in {Outcome.CLEAN, Outcome.NOT_PROVOKED, Outcome.UNSUPPORTED, Outcome.BROKEN}
    surfaced = {Outcome.STUCK: 100, Outcome.SURFACES: 9, Outcome.VIOLATES: 3}.get(outcome, 0)
    recovery = {Outcome.LATE: 6010.0, Outcome.SURFACES: 740.0}.get(outcome, 300.0 + 11 * trial)
    facts = Facts(
        fault_codes=(56,) if faulted else (),
        api_versions=(("Produce", 7),),
        fault_hits=(100 if hard else 3) if faulted else 0,
        refresh_trigger=(Trigger.NONE if hard else Trigger.ERROR) if faulted else None,
        refresh_ms=None if hard or not faulted else 12.0,
        refreshes=92 if outcome is Outcome.STORMS else 2,
        storm="ab" if outcome is Outcome.STORMS else "",
        reroute=(Reroute.NONE if hard else Reroute.REFRESH) if faulted else None,
        rescued_by="connect" if outcome is Outcome.LATE else "",
        recovered=(not hard) if faulted else None,
        recovery_ms=None if hard or not faulted else recovery,
        outage_ms=12_000.0 if hard else 340.0,
        after_heal="stuck" if outcome is Outcome.STUCK else "",
        errors_surfaced=surfaced,
        first_error="KAFKA_STORAGE_ERROR" if surfaced else "",
        acked=230,
        lost=12 if outcome is Outcome.VIOLATES else 0,
        watched_ms=10_000,
    )
    reason = f"Row 7: goal not reached in 10000 ms. {NASTY}" if outcome is Outcome.STUCK else f"{outcome} by the rules."
    return Verdict(outcome=outcome, reason=reason, conforms=None if outcome in SAY_NOTHING else good, facts=facts)
