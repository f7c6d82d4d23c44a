"""Synthetic trials for tests of the store, Spark and DuckDB: every combination of outcomes in a cell."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from probe.cells.aggregate import SettledCell
from probe.cli.wiring.settled_cells import write_settled
from probe.model import (
    AfterHeal,
    App,
    AppKind,
    Cell,
    Closed,
    Ender,
    Engine,
    EngineEvent,
    EngineKind,
    Event,
    Expectation,
    Facts,
    Folded,
    Header,
    History,
    LearnedBy,
    Limits,
    Mark,
    MarkKind,
    Opened,
    Outcome,
    OwnLimit,
    PhaseClock,
    Reaction,
    Reality,
    Request,
    Reroute,
    Rescuer,
    Response,
    Role,
    Row,
    Stored,
    Subject,
    Symptom,
    Target,
    Trigger,
    Verdict,
    Workload,
)
from probe.model.columns import FACTS
from probe.model.conditions import FIRST, current
from probe.model.handshake import FirstMetadata, FirstProduce, Handshake, Purpose, TopicList
from probe.model.schema import Type
from probe.store import RunStore
from probe.store.rows import not_run_row, trial_row
from probe.store.schemas import TRIAL_SCHEMA

CELL = Cell(
    family="sarama",
    version="1.43.3",
    role=Role.PRODUCER,
    profile="isolated",
    scenario="disk/storage-error",
    engine=Engine.EMBEDDED,
    broker="3.9",
)
EVENTS: tuple[Event, ...] = (
    Opened(at=1, conn=1, broker=1),
    App(at=2, kind=AppKind.SENT, instance="i1", partition=0, sequence=0),
    EngineEvent(at=3, kind=EngineKind.FAULT_ON, broker=1, topic="t"),
    Request(at=4, conn=1, broker=1, corr=7, api=0, version=7, rows=(Row(topic="t", partition=0, size=90),), acks=-1),
    Response(at=5, conn=1, broker=1, corr=7, api=0, version=7, sent_at=4, rows=(Row(topic="t", partition=0, code=56),)),
    Folded(at=6, until=9, conn=1, broker=1, api=0, version=7, requests=900, responses=899),
    Mark(at=10, kind=MarkKind.END, text="the end"),
    Closed(at=11, conn=1, broker=1, by="client"),
)
HANDSHAKE = Handshake(
    conn=1,
    broker=1,
    purposes=(Purpose.PRODUCE,),
    requests=((18, 3), (0, 7)),
    versions=((0, 7), (3, 9), (18, 3)),
    software_name="sarama",
    software_version="1.43.3",
    metadata=FirstMetadata(topics=TopicList.NAMES, allow_auto_topic_creation=False),
    produce=FirstProduce(acks=-1, timeout_ms=10_000, compression="none"),
)


def header(cell: Cell = CELL, trial: int = 1, **changes: object) -> Header:
    """Return a plausible header."""
    plain = Header(
        cell=cell,
        trial=trial,
        seed=42,
        play=Expectation(
            kind=Symptom.ANSWER,
            expects=Reaction.DISCOVER,
            target=Target.LEADER,
            codes=(56,),
            conforms=(Outcome.REFRESHES, Outcome.HINTED, Outcome.CLEAN),
        ),
        limits=Limits(back_off_ms=250),
        conditions=current(cell.engine),
        subject=Subject(topic="t", affected=0, bystander=1, instance="i1", client_id="c-1"),
        settings={"acks": "all"},
        stored=(Stored(0, 0, "i1", 0),),
        released="2024-08-27",
        artifact="module sarama v1.43.3 h1:abc",
        handshakes=(HANDSHAKE,),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # tests pass fields of Header by name


def history(cell: Cell = CELL, trial: int = 1, events: tuple[Event, ...] = EVENTS, **changes: object) -> History:
    """Return a history with every kind of event."""
    return History(header(cell, trial, **changes), events)


FITTING: Mapping[Outcome, Mapping[str, object]] = {
    Outcome.LATE: {"recovery_ms": 20_000.0},
    Outcome.STORMS: {"storm": "b"},
    Outcome.SURFACES: {"errors_surfaced": 1},
}
"""Facts without which a trial has no such outcome, or does no harm."""


def verdict(outcome: Outcome = Outcome.REFRESHES, *, rules: int = 1, **facts: object) -> Verdict:
    """Return a verdict with the given facts."""
    good = {Outcome.REFRESHES: True, Outcome.HINTED: True, Outcome.CLEAN: True}
    says = None if outcome in {Outcome.BROKEN, Outcome.WAITING, Outcome.UNSUPPORTED} else good.get(outcome, False)
    return Verdict(
        outcome=outcome,
        reason=f"it {outcome}",
        conforms=says,
        facts=Facts(**{**FITTING.get(outcome, {}), **facts}),  # type: ignore[arg-type]  # tests pass facts by name
        rules=rules,
    )


def settled_cell(cell: Cell, *outcomes: Outcome, run_id: str = "20261127T071307Z-5287") -> SettledCell:
    """Return a cell that trials with these outcomes settle."""
    return SettledCell(
        cell=cell,
        run_id=run_id,
        trial=0,
        verdicts=tuple(verdict(one) for one in outcomes),
        conditions=current(cell.engine),
    )


ERRORS = ("", "NOT_LEADER_OR_FOLLOWER", "KAFKA_STORAGE_ERROR", 'client:a "quoted", thing', "client:zwei\nZeilen é")
DRAWS: dict[Type, Callable[[random.Random], object]] = {
    Type.BIGINT: lambda rng: rng.randrange(9),
    Type.DOUBLE: lambda rng: rng.random() * 9000,
    Type.STRING: lambda rng: rng.choice(["", "one", "two"]),
    Type.BOOLEAN: lambda rng: rng.random() < 0.5,
    Type.CODES: lambda rng: tuple(rng.sample([3, 6, 56, 74], rng.randrange(4))),
    Type.VERSIONS: lambda rng: (("Produce", rng.randrange(13)),),
}
"""The generator of random values for each type of fact."""


STANDSTILLS = ("recovery_ms", "bystander_own_gap_ms")
RECORDS = ("lost", "unresolved", "phantom", "duplicated", "reordered", "position_jump")
REPORTED = ("errors_surfaced", "failed_ops", "bystander_errors")
"""Facts of harm that mostly say that there is none, so that every harm is drawn."""


def random_facts(rng: random.Random) -> Facts:
    """Return random facts of every type, many absent, with unusual texts."""
    drawn: dict[str, Any] = {
        "fault_codes": tuple(rng.sample([3, 6, 56, 74], rng.randrange(4))),
        "api_versions": tuple(
            (api, rng.randrange(13)) for api in ("Produce", "Fetch", "Metadata") if rng.random() < 0.8
        ),
        "refresh_trigger": rng.choice([None, *Trigger]),
        "refresh_ms": rng.choice([None, rng.random() * 3000, rng.randrange(500) + 0.5]),
        "storm": rng.choice(["", "", "a", "bd", "cd"]),
        "reroute": rng.choice([None, *Reroute]),
        "rescued_by": rng.choice(list(Rescuer)),
        "recovered": rng.choice([None, False, *[True] * 8]),
        "kept_ms": rng.choice([None, 0.0, rng.random() * 3000]),
        **{name: rng.choice([None, rng.random() * 9000, rng.random() * 200_000]) for name in STANDSTILLS},
        **{name: rng.choice([None, 0, 0, 0, 0, 0, rng.randrange(1, 9)]) for name in RECORDS},
        **{name: rng.choice([0, 0, 0, rng.randrange(1, 9)]) for name in REPORTED},
        "after_heal": rng.choice(list(AfterHeal)),
        "first_error": rng.choice(ERRORS),
        "phase_clock": rng.choice(list(PhaseClock)),
        "ended_by": rng.choice(list(Ender)),
        "own_limit": rng.choice(list(OwnLimit)),
        "reason_by": rng.choice(list(LearnedBy)),
        "futile_requests_per_s": rng.randrange(400) / 20,
        "watched_ms": 10_000 + rng.randrange(100),
    }
    drawn |= {name: DRAWS[kind](rng) for name, kind in FACTS.items() if name not in drawn and rng.random() < 0.8}
    return Facts(**drawn)


def create(results: Path, **more: object) -> RunStore:
    """Create the store of a run."""
    return RunStore.create(str(results), command=["probe", "run"], seed=7, **more)  # type: ignore[arg-type]  # options by name


def fill(results: Path, *items: tuple[Cell, int, Outcome]) -> str:
    """Store trials in one flush as a run with its settled cells; return the run's id."""
    with create(results) as store:
        for cell, trial, outcome in items:
            store.add(history(cell, trial), verdict(outcome, fault_hits=trial))
    write_settled(str(results))
    return store.run_id


def trial(run_id: str, number: int, outcome: Outcome, cell: Cell = CELL, **facts: Any) -> dict[str, Any]:
    """Return a trial row of a cell."""
    about = {name: facts.pop(name) for name in ("shortened", "sweep", "conditions") if name in facts}
    return trial_row(run_id, History(header(cell, number, **about), ()), verdict(outcome, **facts))


RUNS = ("20261101T000000Z-aaaa", "20261102T000000Z-bbbb", "20261103T000000Z-0ccc")
_PICKS: tuple[tuple[Outcome, ...], ...] = (
    (Outcome.REFRESHES,),
    (Outcome.REFRESHES, Outcome.STUCK),
    (Outcome.STUCK, Outcome.STUCK, Outcome.LATE),
    (Outcome.WAITING,),
    (Outcome.WAITING, Outcome.SURFACES),
    (Outcome.BROKEN,),
    (Outcome.BROKEN, Outcome.RIDES),
    (Outcome.BROKEN, Outcome.WAITING),
    (Outcome.UNSUPPORTED,),
    (Outcome.VIOLATES, Outcome.SURFACES),
    (Outcome.FATAL, Outcome.STORMS),
    (Outcome.HINTED,),
)


SESSION = "isolated+client.id=a++b+session.timeout.ms=70s"
PROFILES = (
    "isolated",
    "idempotent",
    "isolated+election=1000,400+linger.ms=5",
    "short-limits",
    "no-retries+a=b++c",
    SESSION,
)
SCENARIOS = (
    "steady",
    "disk/storage-error",
    "start-during/disk/storage-error",
    "hold/produce/NOT_ENOUGH_REPLICAS",
    "net/blackhole",
    "group/member-killed",
    "client/slow-handler",
)


def random_cells(rng: random.Random, count: int) -> list[Cell]:
    """Return random distinct cells whose versions and brokers sort differently as text and as numbers.

    Every fourth of them is there once more, with another workload.
    """
    found: dict[Cell, None] = {}
    while len(found) < count:
        cell = Cell(
            family=rng.choice(["sarama", "java", "librdkafka"]),
            version=rng.choice(["1.9.0", "1.27.0", "1.43.3", "0.11.4", "2.16", "10.0.1"]),
            role=rng.choice(list(Role)),
            profile=rng.choice(PROFILES),
            scenario=rng.choice(SCENARIOS),
            engine=rng.choice(list(Engine)),
            broker=rng.choice(["3.9", "0.10.2", "2.6", "4.0"]),
        )
        found[cell] = None
    again = list(found)[::4]
    others = [Workload.PIPELINED, Workload.KEYED] * len(again)
    return [*found, *(replace(cell, workload=one) for cell, one in zip(again, others, strict=False))]


def random_rows(
    seed: int, cells: int, max_trials: int = 4, runs: Sequence[str] = RUNS, numbers: Sequence[int] = (FIRST,)
) -> dict[str, list[dict[str, object]]]:
    """Return random trial rows by run: agreeing, disagreeing, waiting, broken, shortened, swept and not-run cells.

    `numbers` = those of the conditions of the trials.
    """
    rng = random.Random(seed)
    rows: dict[str, list[dict[str, object]]] = {run_id: [] for run_id in runs}
    for cell in random_cells(rng, cells):
        reality = rng.choice(list(Reality))
        for run_id in rng.sample(list(runs), rng.randint(1, len(runs))):
            if rng.random() < 0.15:
                rows[run_id].append(not_run(run_id, cell))
                continue
            outcomes = rng.choice(_PICKS)
            for trial in range(1, rng.randint(1, max_trials) + 1):
                rows[run_id].append(random_trial(rng, run_id, cell, trial, rng.choice(outcomes), reality))
                rows[run_id][-1]["conditions"] = rng.choice(numbers) if len(numbers) > 1 else numbers[0]
    return rows


def random_trial(
    rng: random.Random, run_id: str, cell: Cell, trial: int, outcome: Outcome, reality: Reality
) -> dict[str, object]:
    """Return a random trial row of a given outcome."""
    facts = random_facts(rng)
    judged = replace(verdict(outcome), facts=facts, reason=f"trial {trial}: {outcome}, {facts.fault_hits} hits")
    head = header(cell, trial, shortened=rng.random() < 0.1, seed=rng.randrange(2**40))
    head = replace(head, sweep="election=0,1" if rng.random() < 0.05 else "")
    head = replace(head, play=replace(head.play, reality=reality))
    row = trial_row(run_id, History(head, ()), judged)
    row["header"] = None  # settling does not read the header
    return row


def not_run(run_id: str, cell: Cell) -> dict[str, object]:
    """Return the row of a cell that could not be run."""
    return not_run_row(run_id, cell, reason="no wheel for this machine", released="2020-01-01", mirrors="", rules=1)


def write(results: object, rows: dict[str, list[dict[str, object]]], parts: int = 2) -> None:
    """Write trial rows as a results folder with several files per run."""
    for run_id, mine in rows.items():
        for part in range(parts):
            write_part(results, run_id, f"1of1-{part:06d}", mine[part::parts])


def write_part(results: object, run_id: str, part: str, rows: Iterable[dict[str, object]]) -> str:
    """Write one trial file and return its path."""
    path = Path(str(results)) / f"run_id={run_id}" / "trials" / f"{part}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows), schema=TRIAL_SCHEMA), path)
    return str(path)
