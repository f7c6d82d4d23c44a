"""The state of a transcript: clock, connections and counters of a trial; expectations that tests share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from probe.model import (
    App,
    AppKind,
    Event,
    Expectation,
    Opened,
    Outcome,
    Reaction,
    Request,
    Response,
    Role,
    Row,
    Stored,
    Symptom,
    Target,
)
from probe.protocol import apis

PRODUCE, FETCH, LIST_OFFSETS, METADATA = apis.PRODUCE, apis.FETCH, apis.LIST_OFFSETS, apis.METADATA
COMMIT, FIND, HEARTBEAT = apis.OFFSET_COMMIT, apis.FIND_COORDINATOR, apis.HEARTBEAT
API_VERSIONS, EPOCHS = apis.API_VERSIONS, apis.OFFSET_FOR_LEADER_EPOCH
TOPIC, GROUP, TXN_ID, ME = "t", "g", "tx", "me"
AFFECTED, BYSTANDER = 0, 1
OLD, NEW, THIRD = 1, 2, 3
ZERO = 10_000_000
"""Time of the fault in microseconds."""
BEAT = 100_000

STORAGE_ERROR = Expectation(
    kind=Symptom.ANSWER,
    expects=Reaction.DISCOVER,
    target=Target.LEADER,
    codes=(56, 6),
    causes=("error",),
    election_ms=150,
    conforms=(Outcome.REFRESHES, Outcome.HINTED, Outcome.CLEAN),
)
STEADY = Expectation(
    kind=Symptom.NONE,
    expects=Reaction.NOTHING,
    target=Target.NONE,
    prompt_ms=1000,
    watch_ms=5000,
    conforms=(Outcome.CLEAN,),
)
BLIP = replace(STORAGE_ERROR, expects=Reaction.RETRY, codes=(7,), election_ms=None, conforms=(Outcome.RIDES,))
FINAL = replace(BLIP, expects=Reaction.SURFACE, codes=(10,), conforms=(Outcome.SURFACES,))
RESET = replace(BLIP, kind=Symptom.CONNECTION, codes=(), causes=("error", "disconnect"), prompt_ms=2000)
KILL = replace(STORAGE_ERROR, kind=Symptom.CONNECTION, codes=(), causes=("error", "disconnect"), election_ms=9000)
HANG = replace(KILL, kind=Symptom.SILENCE)
ELECTED = replace(STORAGE_ERROR, kind=Symptom.CHANGE, codes=(6, 74), election_ms=None)
COORDINATOR = replace(STORAGE_ERROR, target=Target.COORDINATOR, codes=(16, 14), election_ms=None)


@dataclass
class Script:
    """The events and the state of a trial while its transcript is written."""

    role: Role = Role.PRODUCER
    now: int = ZERO - 3_000_000
    events: list[Event] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    connections: dict[int, int] = field(default_factory=dict)
    """Broker id to the number of the client's connection."""
    asked: list[Request] = field(default_factory=list)
    """Discoveries without a response so far."""
    coordinated: bool = False
    """Whether the target is a coordinator, so that discoveries are FindCoordinator requests."""
    corr: int = 0
    sequences: dict[int, int] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        self.events.append(event)

    def app(self, kind: AppKind, **more: Any) -> None:
        self.add(App(at=self.now, kind=kind, instance=ME, **more))

    def open(self, broker: int) -> int:
        if broker not in self.connections:
            self.reopen(broker)
        return self.connections[broker]

    def reopen(self, broker: int) -> None:
        self.connections[broker] = sum(isinstance(event, Opened) for event in self.events) + 1
        self.add(Opened(at=self.now, conn=self.connections[broker], broker=broker))
        self.answer(self.request(API_VERSIONS, broker))

    def request(self, api: int, broker: int, *rows: Row, version: int = 7, **more: Any) -> Request:
        conn = self.open(broker)
        self.corr += 1
        more = {"size": 100} | more
        asked = Request(
            at=self.now, conn=conn, broker=broker, corr=self.corr, api=api, version=version, rows=rows, **more
        )
        self.add(asked)
        return asked

    def answer(self, asked: Request, *rows: Row, after: int = 1000, code: int = 0, **more: Any) -> None:
        self.now += after
        self.add(
            Response(
                at=self.now,
                conn=asked.conn,
                broker=asked.broker,
                corr=asked.corr,
                api=asked.api,
                version=asked.version,
                sent_at=asked.at,
                rows=rows,
                code=code,
                **more,
            )
        )

    def next_sequence(self, partition: int) -> int:
        self.sequences[partition] = self.sequences.get(partition, -1) + 1
        return self.sequences[partition]

    def store(self, partition: int, sequence: int, instance: str = ME) -> int:
        self.offsets[partition] = self.offsets.get(partition, -1) + 1
        self.stored.append(Stored(partition, self.offsets[partition], instance, sequence))
        return self.offsets[partition]
