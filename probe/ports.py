"""Define the interfaces that the runner needs: engines, relay, drivers and store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from probe.access import Access, TlsPassage
from probe.errors import ExhaustedError
from probe.model import Cell, Event, History, Stored, Subject, Verdict
from probe.model.cluster import Nodes
from probe.model.endpoint import Endpoint
from probe.model.handshake import Handshake
from probe.model.placement import TopicPlan
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from probe.scenarios.steps.step import Step

if TYPE_CHECKING:  # a plan needs none of it
    from ssl import SSLContext

Sink = Callable[[Event], None]
"""Accepts an event when it happens. It never blocks and never raises."""


def discard(_: Event) -> None:
    """Accept an event that comes too early or too late, and drop it. It is a `Sink`."""


@dataclass(frozen=True, slots=True)
class Elected:
    """The harmless election."""

    leader: int
    began: int
    """When it was asked for, in microseconds: a cohort's trials wait for each other until then."""


@dataclass(frozen=True, slots=True)
class ReadBack:
    """Every record stored in a topic (read_committed), and the committed offsets of a group."""

    stored: tuple[Stored, ...]
    committed: Mapping[int, int]


Pcapng = Callable[[str], bytes]
"""Returns what was captured as a pcapng file, with a comment. It has no side effects and may run in a thread."""


class Tap(Protocol):
    """A relay between clients and the brokers of one cluster."""

    def address(self, broker: int) -> Endpoint:
        """Return the address that clients use for a broker."""

    async def cut(self, broker: int, client_id: str = "") -> int:
        """Reset established connections to a broker, of one client id or of all. Return how many."""

    def read_on(self) -> None:
        """Report all that has passed until now. Without this it is reported some milliseconds later."""

    def at_once(self) -> AbstractContextManager[None]:
        """Report what passes at once, inside the block: its caller waits for the moment of a frame."""

    def refuse(self, broker: int) -> None:
        """Refuse new connections to a broker from now on. The port stays reserved."""

    def accept(self, broker: int) -> None:
        """Accept connections again."""

    def hold(self, apis: Sequence[int], hold_ms: int) -> None:
        """Delay answers of these APIs by `hold_ms`. Empty `apis` ends the delay."""

    def refuse_above(self, apis: Sequence[int], per_s: int) -> None:
        """Reset a connection on a request of these APIs above `per_s` a second, of all clients. 0 ends it."""

    def ease(self, delay_ms: int) -> None:
        """Delay all answers by `delay_ms`, where the brokers serve one trial alone. 0 ends the delay."""

    def handshakes(self, client_id: str) -> tuple[Handshake, ...]:
        """Return what this client has sent first: its first connection of every set of purposes, by connection."""

    def captured(self, names: Sequence[str] = ()) -> Pcapng | None:
        """Return what was captured so far, of these client ids or of all, once. None where nothing is kept."""


class RelayPort(Tap, Protocol):
    """A relay as an engine uses it. Methods that change a port raise RelayError where the system refuses."""

    def secure(self, tls: SSLContext, *, flawed: bool = False, closes: bool = False) -> None:
        """Speak TLS with new connections; `flawed`: handshakes are meant to fail, `closes`: after the first bytes."""

    @property
    def passage(self) -> TlsPassage:
        """Return how it passes TLS through, if it does."""

    def forward(self, broker: int, address: Endpoint) -> None:
        """Set the address on which a broker really listens."""

    def slow(self, broker: int, delay_ms: int) -> None:
        """Delay all answers of a broker by `delay_ms`. 0 ends the delay."""

    def blackhole(self, broker: int, on: bool = True) -> None:
        """Forward nothing in either direction, and let no client connect."""

    def refuse_after_attempt(self, broker: int) -> None:
        """Refuse connections after the first attempt, and report that attempt as a connection that was cut."""

    def lose(self, broker: int, apis: Sequence[int], times: int) -> None:
        """Cut a connection instead of forwarding an answer of these APIs, at most `times` per client id. 0 ends it."""

    def keep_back(self, broker: int, apis: Sequence[int], times: int, keep_ms: int) -> None:
        """Delay answers of these APIs by `keep_ms`, at most `times` per client id. 0 times ends it."""

    def cut_answers(self, broker: int, apis: Sequence[int], passing: Sequence[int]) -> None:
        """End a connection inside an answer of these APIs, once per client id for each number of bytes that pass.

        A negative number passes all but that number of bytes. No numbers end the fault.
        """

    def expire_idle(self, after_ms: int, *, forgotten: bool = False) -> None:
        """Close connections over which nothing passed for `after_ms`; 0 ends it. `forgotten`: they stay, half open."""

    def limit_versions(self, broker: int, highest: int | None) -> None:
        """Reset a connection on an ApiVersions request of a version above `highest`. None ends it."""

    def move(self, broker: int, *, silent: bool = False) -> Endpoint:
        """Open another port for a broker, with another name where it has one. The old port refuses from now on.

        `silent`: it answers nothing instead, and its connections stay half open.
        """

    def move_behind_name(self, broker: int, *, keeps: bool = False) -> None:
        """Let a broker listen at another address behind its name, on the same port. The old address refuses.

        `keeps`: the name leads to the old address as well, first, where attempts get no answer.
        """

    def hide_name(self, broker: int) -> None:
        """Let the name of a broker lead nowhere until it moves behind it."""

    def swap(self, broker: int, other: int) -> None:
        """Exchange the ports of two brokers; both refuse until they accept again."""

    def counts(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        """Return the numbers of (requests, responses) forwarded, by (broker, API key)."""

    def dropped(self) -> int:
        """Return the number of events that the sink did not get although it should have."""

    def check(self) -> None:
        """Raise ExhaustedError if a connection was refused because this machine ran out of a resource."""


OpenRelay = Callable[[Sequence[int], Sink, dict[bytes, str]], AbstractAsyncContextManager[RelayPort]]
"""Opens a relay for brokers. Parameters: broker ids, sink of its events, topic names by id (extended by the relay)."""


class Cluster(Protocol):
    """Brokers with one trial's topic on them.

    Every coroutine raises EngineError or RelayError where it fails, and ExhaustedError where this machine has run out
    of a resource.
    """

    @property
    def nodes(self) -> Nodes:
        """Return the ids of its brokers."""

    async def prepare(self, subject: Subject, plan: TopicPlan) -> Subject:
        """Create the topic, place the coordinators and start the background producer.

        Return the full subject, with brokers of `nodes` in place of those of `probe.model.cluster.PLANNED`.
        """

    async def set_interval(self, feed_ms: int) -> None:
        """Write a record to the topic every `feed_ms` from now on, unless an engine has one interval for all topics."""

    async def elect(self) -> Elected:
        """Elect the leader that the fault finds, and wait until all brokers name it; return both.

        It is for trials whose plan of `prepare` said so. Members of a cohort wait for each other. Raises StragglerError
        if the others continued without this one.
        """

    async def await_cohort(self) -> None:
        """Wait until all members of the cohort are ready for the fault.

        Raises StragglerError if the other members continued without this one.
        """

    async def inject(self, steps: Sequence[Step], election_ms: int | None) -> None:
        """Inject the fault. The event `fault_on` has been emitted when this returns."""

    async def revert(self) -> None:
        """Revert the fault. The event `healed` has been emitted when this returns."""

    async def read_back(self) -> ReadBack:
        """Read all records back, not through the relay. Raises EngineError if they cannot be read completely."""

    async def problems(self) -> Sequence[str]:
        """Compare the relay's counts with the brokers' own counts. Return the differences."""


class EnginePort(Protocol):
    """An engine: it starts clusters."""

    def cluster(
        self, broker: str, sink: Sink, access: Access | None = None
    ) -> AbstractAsyncContextManager[tuple[Cluster, Tap]]:
        """Start brokers of a Kafka release line behind a relay. All are stopped at exit.

        `access`: how clients reach it; None = by PLAINTEXT. Raises EngineError, RelayError, or ExhaustedError where
        this machine has run out of a resource.
        """


class CohortMemberPort(EnginePort, Protocol):
    """One cell's place in a cohort. Its cluster can be entered once."""

    def ignore_events(self) -> None:
        """Drop events from now on.

        The client has stopped, but its cell may wait until the observation of the other members ends.
        """

    def leave(self) -> None:
        """Leave the cohort, so that the others no longer wait for this member.

        It is called in any case when the trial is over, or was never started.
        """


class CohortEngine(EnginePort, Protocol):
    """An engine whose clusters are expensive: several cells observe one fault on one cluster."""

    @property
    def at_once(self) -> int:
        """Return how many clusters may run at the same time."""

    @property
    def in_silence(self) -> int:
        """Return how many more clusters may run whose cohorts observe silence."""

    def cohort(
        self,
        broker: str,
        size: int,
        to_come: int = 0,
        spec: ClusterSpec = DEFAULT_CLUSTER,
        *,
        access: Access | None = None,
        silent: bool = False,
        before_fault: Callable[[], None] = lambda: None,
    ) -> AbstractAsyncContextManager[Sequence[CohortMemberPort]]:
        """Lease a running cluster of a Kafka release line for `size` members.

        `to_come`: cohorts of this kind that follow. `silent`: the cluster is kept for minutes, mostly by clients that
        wait. `before_fault` is called when all members wait for the fault; a HarnessError of it is raised for all of
        them, and no fault is injected. Raises EngineError if no cluster is available.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Parameters of the driver command `Start` (proto/driver.proto)."""

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
    workload: str = ""
    batch: int = 1
    keys: Sequence[str] = ()
    access: Access | None = None


class Instance(Protocol):
    """One running client instance."""

    def set_interval(self, interval_ms: int) -> None:
        """Begin an operation every `interval_ms` milliseconds from now on."""

    async def stop(self, deadline_ms: int) -> None:
        """Ask the instance to close. Return when it has ended or the deadline has passed."""

    @property
    def clock_error_us(self) -> int:
        """Bound of the clock offset error, in microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortLoad:
    """A cohort's size, and how quickly its writes were acknowledged before the fault."""

    scenario: str
    broker: str
    """Release line."""
    cells: int
    """Cells that were ready for the fault."""
    writes: int
    """Produce requests that were acknowledged in the last seconds before the fault, at the relay."""
    median_write_ms: float | None
    """The median of how long they took; None without writes."""
    given_back: bool
    """Whether the median was too long, so that no fault was injected and the cells were played again."""


class Store(Protocol):
    """Storage of runs."""

    def add(self, history: History, verdict: Verdict) -> None:
        """Add one judged trial. It is on disk after the next flush."""

    def add_cohort(self, load: CohortLoad) -> None:
        """Add the size and the writes of a cohort to the run's description."""

    def has(self, cell: Cell, trial: int) -> bool:
        """Return whether a trial of this number was added, also in an earlier part of a resumed run."""

    def flush(self) -> None:
        """Write what was added since the last flush to a temporary file and rename it. Raises ResultsError."""

    @property
    def exhausted(self) -> ExhaustedError | None:
        """Return why nothing can be written, where this machine has no disk space or files left.

        Added trials are kept.
        """
