"""A matrix and its trials as the site meets them: histories played by small rules, rows drawn from their facts."""

from __future__ import annotations

import csv
import random
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from probe.model import (
    App,
    AppKind,
    Cell,
    ClientError,
    Closed,
    Engine,
    EngineEvent,
    EngineKind,
    Event,
    Expects,
    Facts,
    Header,
    History,
    Kind,
    Limits,
    Mark,
    MarkKind,
    Opened,
    Outcome,
    Play,
    Request,
    Reroute,
    Response,
    Role,
    Row,
    Subject,
    Target,
    Trigger,
    Verdict,
)
from probe.site import Source
from probe.site.rows import COLUMNS, MatrixRow

IDENTITY = ("family", "version", "role", "profile", "scenario", "engine", "broker")
RUN = "20261121T084315Z-3f9a"
CLIENTS = {
    "sarama": ("1.9.0", "1.27.0", "1.43.2", "1.43.3", "1.46.1"),
    "librdkafka": ("1.5.0", "1.9.2", "2.3.0", "2.10.1"),
    "java": ("2.6.3", "4.1.0"),
}
RELEASED = {"1.27.0": "2020-08-11", "1.43.2": "2024-04-23", "1.43.3": "2024-08-19", "2.3.0": "2023-10-25"}
SCENARIOS = (
    "steady",
    "disk/storage-error",
    "leader/elected",
    "leader/reassigned",
    "broker/shutdown",
    "broker/kill",
    "net/reset",
    "answer/produce/NOT_LEADER_OR_FOLLOWER",
)
GOOD = frozenset({Outcome.REFRESHES, Outcome.HINTED, Outcome.CLEAN, Outcome.RIDES})
UNJUDGED = frozenset({Outcome.NOT_RUN, Outcome.UNSUPPORTED, Outcome.BROKEN, Outcome.WAITING, Outcome.NOT_PROVOKED})
NASTY = "<script>alert(1)</script> & \"quoted\" 'text'"


def outcome_of(cell: Cell) -> Outcome:
    """Plays the part of the world: what this client does in this scenario."""
    name, version, scenario = cell.family, cell.version, cell.scenario
    if name == "java" and version == "2.6.3":
        return Outcome.NOT_RUN
    if scenario == "steady":
        return Outcome.CLEAN
    if scenario == "net/reset":
        return Outcome.RIDES
    if name == "java":
        return Outcome.HINTED if scenario.startswith("leader/") else Outcome.REFRESHES
    disk = scenario.startswith("disk/")
    table = {
        ("sarama", "1.9.0"): Outcome.UNSUPPORTED if disk else Outcome.SURFACES,
        ("sarama", "1.27.0"): Outcome.STUCK if disk else Outcome.SURFACES,
        ("sarama", "1.43.2"): Outcome.STUCK if disk else Outcome.REFRESHES,
        ("sarama", "1.43.3"): Outcome.FLAKY if scenario == "broker/kill" else Outcome.REFRESHES,
        ("librdkafka", "1.5.0"): Outcome.FATAL if disk else Outcome.VIOLATES,
        ("librdkafka", "1.9.2"): Outcome.LATE,
        ("librdkafka", "2.3.0"): Outcome.STORMS,
    }
    usual = table.get((name, version), Outcome.REFRESHES)
    if cell.role is Role.CONSUMER:
        return {Outcome.VIOLATES: Outcome.WAITING, Outcome.FATAL: Outcome.NOT_PROVOKED}.get(usual, usual)
    return Outcome.BROKEN if (version, scenario) == ("1.46.1", "leader/reassigned") else usual


def cells() -> Iterator[Cell]:
    for family, versions in CLIENTS.items():
        for version in versions:
            for role in (Role.PRODUCER, Role.CONSUMER):
                for scenario in SCENARIOS:
                    yield Cell(family, version, role, "isolated", scenario, Engine.EMBEDDED, "3.9")
            yield Cell(family, version, Role.PRODUCER, "isolated", SCENARIOS[1], Engine.KAFKA, "3.9")
            yield Cell(family, version, Role.PRODUCER, "acks-1", SCENARIOS[1], Engine.EMBEDDED, "0.10.2")
    yield Cell("sarama", "1.43.3", Role.PRODUCER, "isolated+election=1000", SCENARIOS[1], Engine.EMBEDDED, "3.9")


def many(wanted: int) -> list[dict[str, str]]:
    """A big matrix: the same rows under invented versions and scenarios."""
    base = matrix()
    out = []
    for index in range(wanted):
        row, copy = base[index % len(base)], index // len(base)
        invented = {"version": f"{copy % 5}.{row['version']}", "scenario": f"{row['scenario']}/{copy // 5}"}
        out.append(row | invented | {"run_id": ""})
    return out


@dataclass(frozen=True, slots=True)
class FakeTrial:
    cell: Cell
    trial: int
    verdict: Verdict
    shortened: bool = False


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
        self._ask(hit + 12, 3, 1)
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
        play=Play(kind=Kind.ANSWER, expects=Expects.DISCOVER, target=Target.LEADER, codes=(56,)),
        limits=Limits(back_off_ms=100),
        subject=Subject(topic="t", affected=0, bystander=1, instance="i", client_id="c", old=1, bootstrap=(1, 2, 3)),
        settings={"acks": "all", "retries": "3", "refresh_ms": "-1", "odd": NASTY},
        artifact=f"github.com/example/{cell.family}@v{cell.version}",
        watched_ms=10_000,
    )
    return History(header, tuple(Player(cell, outcome, 7 * trial + 1).play()))


def judge(cell: Cell, outcome: Outcome, trial: int) -> Verdict:
    """A verdict as the rules would give it, with the facts the site shows."""
    good = outcome in GOOD
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
    return Verdict(outcome=outcome, reason=reason, conforms=None if outcome in UNJUDGED else good, facts=facts)


def judged_trials(cell: Cell) -> list[FakeTrial]:
    outcome = outcome_of(cell)
    if outcome is Outcome.NOT_RUN:
        return []
    each = (Outcome.REFRESHES, Outcome.LATE, Outcome.REFRESHES) if outcome is Outcome.FLAKY else (outcome,) * (3 if cell.scenario == "disk/storage-error" else 1)
    return [FakeTrial(cell, number, judge(cell, one, number)) for number, one in enumerate(each)]


def matrix_row(cell: Cell, trials: list[FakeTrial]) -> dict[str, str]:
    outcome = outcome_of(cell)
    row = dict.fromkeys(COLUMNS, "") | cell.columns()
    row |= {"outcome": str(outcome), "reality": "effective", "trials": str(len(trials)), "run_id": RUN}
    row["released"] = RELEASED.get(cell.version, "")
    if not trials:
        return row | {"reason": "no Java on this machine", "trials": "0"}
    if cell.broker == "0.10.2":
        row["reality"] = "raw"
    elif outcome not in UNJUDGED and outcome is not Outcome.FLAKY:
        row["conforms"] = "yes" if outcome in GOOD else "no"
    row["agreeing"] = "2" if outcome is Outcome.FLAKY else str(len(trials))
    facts = trials[0].verdict.facts
    columns: dict[str, object] = {
        "reason": trials[0].verdict.reason,
        "watched_ms": facts.watched_ms,
        "fault_codes": ";".join(map(str, facts.fault_codes)),
        "api_versions": "Produce=7",
        "fault_hits": facts.fault_hits,
        "refresh_trigger": facts.refresh_trigger,
        "refresh_ms_p50": facts.refresh_ms,
        "refreshes_max": facts.refreshes,
        "storm": facts.storm,
        "reroute": facts.reroute,
        "rescued_by": facts.rescued_by,
        "recovered": facts.recovered,
        "recovery_ms_p50": facts.recovery_ms,
        "outage_ms_max": facts.outage_ms,
        "after_heal": facts.after_heal,
        "errors_surfaced": facts.errors_surfaced,
        "first_error": facts.first_error,
        "acked": facts.acked,
        "lost": facts.lost,
    }
    return row | {name: _text(value) for name, value in columns.items()}


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) else str(value)


def write_matrix(path: Path, rows: Iterable[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def trials(run_id: str) -> list[FakeTrial]:
    return [one for cell in cells() for one in judged_trials(cell)] if run_id == RUN else []


def histories(run_id: str, wanted: Collection[tuple[Cell, int]]) -> Iterator[History]:
    for one in trials(run_id):
        if (one.cell, one.trial) in wanted and one.verdict.outcome is not Outcome.UNSUPPORTED:
            yield play(one.cell, one.trial, one.verdict.outcome)


SOURCE = Source(trials, histories)


def matrix() -> list[dict[str, str]]:
    return [matrix_row(cell, judged_trials(cell)) for cell in cells()]


def slugs(rows: Iterable[dict[str, str]]) -> set[str]:
    return {MatrixRow(Cell.of(row), Outcome(row["outcome"]), None, row).slug for row in rows}
