"""The verbs: what the runner needs of engines, the relay, drivers and the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from probe.errors import ExhaustedError
from probe.model import Cell, Event, History, Stored, Subject, Verdict
from probe.model.endpoint import Endpoint
from probe.model.placement import TopicPlan
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from probe.scenarios.steps.partitions import Step

Sink = Callable[[Event], None]
"""Takes an event as it happens; never blocks, never raises."""


def discard(_: Event) -> None:
    """Take an event that comes too early or too late: a `Sink`."""


@dataclass(frozen=True, slots=True)
class ReadBack:
    """Everything stored in a topic, read_committed, and committed offsets of a group."""

    stored: tuple[Stored, ...]
    committed: Mapping[int, int]


Pcapng = Callable[[str], bytes]
"""Writes what was captured as a pcapng file, with a comment; touches nothing, may run in a thread."""


class Tap(Protocol):
    """A relay in front of the brokers of one cluster."""

    def address(self, broker: int) -> Endpoint:
        """Return the address that clients use for a broker."""

    async def cut(self, broker: int, client_id: str = "") -> int:
        """Reset established connections to a broker (of one client id, or all); return how many."""

    def refuse(self, broker: int) -> None:
        """Refuse new connections to a broker from now on, keeping its port."""

    def accept(self, broker: int) -> None:
        """Accept connections again."""

    def hold(self, apis: Sequence[int], hold_ms: int) -> None:
        """Pass answers of these APIs on only after `hold_ms`; empty `apis` ends it."""

    def captured(self, names: Sequence[str] = ()) -> Pcapng | None:
        """Hand out what passed so far (of these client ids, or all), once; None where nothing is kept."""


class RelayPort(Tap, Protocol):
    """A relay as an engine holds it. What changes a port raises RelayError where the system refuses."""

    def forward(self, broker: int, address: Endpoint) -> None:
        """Say where a broker really listens."""

    def slow(self, broker: int, delay_ms: int) -> None:
        """Pass all answers of a broker on only after `delay_ms`; 0 ends it."""

    def blackhole(self, broker: int, on: bool = True) -> None:
        """Pass nothing on in either direction, and let nobody connect."""

    def refuse_after_attempt(self, broker: int) -> None:
        """Refuse once somebody has tried to connect, and report that as a connection that was cut."""

    def lose(self, broker: int, apis: Sequence[int], times: int) -> None:
        """Cut a connection in the place of an answer of these APIs, so many times for each client id; 0 ends it."""

    def move(self, broker: int) -> Endpoint:
        """Take another port for a broker, open it, and return its address; the old one refuses for good."""

    def counts(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        """Return (requests, responses) passed, by (broker, API key)."""

    def dropped(self) -> int:
        """Return how many events the sink should have had and did not get."""

    def check(self) -> None:
        """Raise ExhaustedError if a connection was refused since this machine has no more of something."""


OpenRelay = Callable[[Sequence[int], Sink, dict[bytes, str]], AbstractAsyncContextManager[RelayPort]]
"""Opens a relay for brokers; takes the sink of its events and the topic names by id, which it adds to."""


class Cluster(Protocol):
    """Three brokers, one trial's topic on them.

    Every coroutine raises EngineError or RelayError where it fails, ExhaustedError where this machine has no more of
    something.
    """

    async def prepare(self, subject: Subject, plan: TopicPlan) -> Subject:
        """Create the topic, place the coordinators and feed the topic as planned; return the full subject."""

    async def set_interval(self, feed_ms: int) -> None:
        """Feed the topic each `feed_ms` from now on; an engine may have one pace for all, and keep to it."""

    async def await_cohort(self) -> None:
        """Wait until all that will see the same fault are as far.

        Raises StragglerError for one that the others went on without.
        """

    async def inject(self, steps: Sequence[Step], election_ms: int | None) -> None:
        """Break; `fault_on` is among the events when this returns."""

    async def revert(self) -> None:
        """Mend; `healed` is among the events when this returns."""

    async def read_back(self) -> ReadBack:
        """Read everything back, off the relay. Raises EngineError if it cannot be read whole."""

    async def problems(self) -> Sequence[str]:
        """Cross-check the relay against the brokers' own counts; return what does not fit."""


class EnginePort(Protocol):
    """Starts clusters."""

    def cluster(self, broker: str, sink: Sink) -> AbstractAsyncContextManager[tuple[Cluster, Tap]]:
        """Start brokers of a Kafka line with a relay in front; everything is gone at exit.

        Raises EngineError, RelayError, or ExhaustedError where this machine has no more of something.
        """


class CohortMemberPort(EnginePort, Protocol):
    """One cell's place in a cohort; its cluster can be entered once."""

    def ignore_events(self) -> None:
        """Feed nobody any more: the client is gone, though its cell may wait until others are watched."""

    def leave(self) -> None:
        """Be waited for no longer; said in any case when the trial is over, or never began."""


class CohortEngine(EnginePort, Protocol):
    """An engine whose clusters are dear: several cells watch one fault on one cluster."""

    @property
    def at_once(self) -> int:
        """Return how many clusters may run at the same time."""

    @property
    def in_silence(self) -> int:
        """Return how many may run beside them whose cohorts watch silence."""

    def cohort(
        self, broker: str, size: int, to_come: int = 0, ground: ClusterSpec = DEFAULT_CLUSTER, *, silent: bool = False
    ) -> AbstractAsyncContextManager[Sequence[CohortMemberPort]]:
        """Lease a running cluster of a Kafka line, with so many seats; `to_come` = cohorts of this kind that follow.

        `silent` says that it is kept for minutes, mostly by clients that wait.
        Raises EngineError when none can be had.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a driver is told (proto/driver.proto, `Start`)."""

    instance: str
    client_id: str
    role: str
    profile: str
    properties: Mapping[str, str]
    bootstrap: Sequence[Endpoint]
    topic: str
    partitions: Sequence[int]
    group: str = ""
    transactional_id: str = ""
    interval_ms: int = 100
    max_in_flight: int = 32
    broker: str = ""
    bystander: int = 0
    bystander_ms: int = 0


class Instance(Protocol):
    """One running client."""

    def set_interval(self, interval_ms: int) -> None:
        """Let it begin an operation each so many milliseconds from now on."""

    async def stop(self, deadline_ms: int) -> None:
        """Ask it to close; returns when it ended or the deadline passed."""

    @property
    def clock_error_us(self) -> int:
        """Bound of the clock offset error."""


class Store(Protocol):
    """Keeps runs."""

    def add(self, history: History, verdict: Verdict) -> None:
        """Take one judged trial; it is on disk at the next flush."""

    def has(self, cell: Cell, trial: int) -> bool:
        """Say whether a trial of this number was taken, in an earlier part of a resumed run, too."""

    def flush(self) -> None:
        """Write what was taken since the last flush, aside and renamed. Raises ResultsError."""

    @property
    def exhausted(self) -> ExhaustedError | None:
        """Return why nothing can be written, where this machine has no room or files left; what was taken is kept."""
