"""What was seen: events of the wire, of the application, of the brokers, of the harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One object of a request or a response: a topic partition, or a coordinator key."""

    topic: str = ""
    """Topic name; topic ids are already resolved. `?<id>` where an id is unknown."""
    partition: int = -1
    """-1 where the object is a whole topic or a coordinator key."""
    key: str = ""
    """Group or transactional id, for the APIs that a coordinator serves."""
    key_type: int = -1
    """FindCoordinator: 0 group, 1 transaction, 2 share. -1 elsewhere."""
    code: int = 0
    """Error code of this object in a response."""
    leader: int | None = None
    """Metadata: leader id. FindCoordinator: node id. Produce and Fetch: the KIP-951 hint. -1 = none."""
    epoch: int | None = None
    """Leader epoch that goes with `leader`, or the one the client sent."""
    offset: int | None = None
    """Fetch request: fetch offset. Produce response: base offset. Commit and fetch of offsets: the offset."""
    size: int | None = None
    """Bytes of record batches in this row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A connection of this cell was accepted by a relay port."""

    at: int
    conn: int
    """Unique within a trial."""
    broker: int
    """Node id whose port it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A connection ended."""

    at: int
    conn: int
    broker: int
    by: str
    """`client`, `broker`, or `relay` (the harness cut it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request whose last byte the relay received from the client."""

    at: int
    conn: int
    broker: int
    corr: int
    api: int
    version: int
    client_id: str = ""
    size: int = 0
    """Bytes of the frame, length prefix included."""
    rows: tuple[Row, ...] = ()
    everything: bool = False
    """Metadata: asks for all topics. A request for brokers only has neither rows nor this."""
    acks: int | None = None
    """Produce only."""
    error: str = ""
    """Why the body could not be read, if it could not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response whose last byte the relay passed to the client."""

    at: int
    conn: int
    broker: int
    corr: int
    api: int
    version: int
    sent_at: int
    """When its request was received."""
    size: int = 0
    code: int = 0
    """Top-level error code, if this API has one."""
    rows: tuple[Row, ...] = ()
    error: str = ""
    """Why the body could not be read, if it could not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Many request and response pairs of a stormy connection in one line.

    The first and last frames of every distinct (api, code, object) of the span are still told one by one.
    """

    at: int
    until: int
    conn: int
    broker: int
    api: int
    version: int
    requests: int
    responses: int
    bytes: int = 0
    rows: tuple[Row, ...] = ()
    """Distinct response rows seen, each once."""


class AppKind(StrEnum):
    """The standard events of a driver (proto/driver.proto)."""

    READY = "ready"
    SENT = "sent"
    ACKED = "acked"
    SEND_ERROR = "send_error"
    RECEIVED = "received"
    RECEIVE_ERROR = "receive_error"
    ASSIGNED = "assigned"
    REVOKED = "revoked"
    COMMITTED = "committed"
    COMMIT_ERROR = "commit_error"
    TXN_BEGUN = "txn_begun"
    TXN_COMMITTED = "txn_committed"
    TXN_ABORTED = "txn_aborted"
    TXN_ERROR = "txn_error"
    LISTED = "listed"
    """Admin: one ListOffsets or committed-offsets call answered."""
    LIST_ERROR = "list_error"
    NOTICE = "notice"
    UNSUPPORTED = "unsupported"
    FATAL = "fatal"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ClientError:
    """An error as the library reported it to its application."""

    code: int
    """Kafka's protocol code, or -1 where the library gives none."""
    name: str
    """The protocol name, or empty."""
    type: str
    """The library's own class or constant."""
    text: str = ""
    retriable: bool = False

    def label(self) -> str:
        """Return the protocol name, or `client:<class>` where there is none."""
        return self.name if self.name else f"client:{self.type}"


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An event of the application's side, on the orchestrator's clock."""

    at: int
    kind: AppKind
    instance: str
    partition: int = -1
    sequence: int = -1
    """Producer: number of the operation, per partition. Received: sequence read from the value."""
    offset: int = -1
    """Acked and received: the record's offset. Committed: the committed offset."""
    origin_at: int = 0
    """Received: when the record was written, read from its value (0 = unknown)."""
    error: ClientError | None = None
    partitions: tuple[int, ...] = ()
    """Assigned and revoked."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Ready: the effective settings, under the names of driver.proto."""
    text: str = ""


class EngineKind(StrEnum):
    """The engine's truth."""

    FAULT_ON = "fault_on"
    HIT = "hit"
    """The engine's own count of a rule's first hit; a cross-check, never the proof."""
    MOVED = "moved"
    """The new target is in office at `broker`."""
    ANNOUNCED = "announced"
    """Every healthy broker names the new target `broker`."""
    HEALED = "healed"
    STOPPED = "stopped"
    RETURNED = "returned"
    SLOWED = "slowed"
    """From here on the relay passes answers of a connection at `broker` on so late: `value` in milliseconds, 0 = at
    once again. Its client asks hundreds of times a second, for seconds."""
    WITHHELD = "withheld"
    """For `value` milliseconds until now nobody could read records of `partition` that had been written before: a
    follower in sync had not got them yet. Told of partitions that are read."""
    LOG = "log"
    """A line of a real broker's log."""
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineEvent:
    """Something the brokers did."""

    at: int
    kind: EngineKind
    broker: int = -1
    topic: str = ""
    partition: int = -1
    key: str = ""
    value: int = 0
    text: str = ""
    conn: int = -1
    """The connection that it is about: it is told only to the cell that has that."""


class MarkKind(StrEnum):
    """Milestones of the harness."""

    WARM = "warm"
    """Warm-up ended: operations succeed on both partitions."""
    HEALING = "healing"
    """The watch ended and the fault is about to be mended."""
    STOPPING = "stopping"
    """The instance was told to stop."""
    STOPPED = "stopped"
    """The instance answered closed, or its deadline passed."""
    END = "end"
    PACED = "paced"
    """From here on an operation begins, or a record is fed, each so many milliseconds (in `text`) per partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A milestone of the harness."""

    at: int
    kind: MarkKind
    text: str = ""


Event = Opened | Closed | Request | Response | Folded | App | EngineEvent | Mark
"""Everything a history consists of, in order of `at`."""
