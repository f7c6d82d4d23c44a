"""Observed events: of the wire, of the application, of the brokers and of the harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One object of a request or a response: a topic partition, or a coordinator key."""

    topic: str = ""
    """Topic name. Topic ids are already resolved; `?<id>` where an id is unknown."""
    partition: int = -1
    """-1 where the object is a whole topic or a coordinator key."""
    key: str = ""
    """Group or transactional id, for APIs of coordinators."""
    key_type: int = -1
    """FindCoordinator: 0 group, 1 transaction, 2 share. -1 elsewhere."""
    code: int = 0
    """Error code of this object in a response."""
    leader: int | None = None
    """Metadata: leader id. FindCoordinator: node id. Produce and Fetch: the KIP-951 hint. -1 = none."""
    epoch: int | None = None
    """Leader epoch that belongs to `leader`, or the one that the client sent. Heartbeats of the new group protocols:
    the epoch that the member has, or is given."""
    offset: int | None = None
    """Fetch request: fetch offset. Produce response: base offset. OffsetCommit and OffsetFetch: the offset."""
    size: int | None = None
    """Bytes of record batches in this row."""
    records: int | None = None
    """ShareFetch and ShareAcknowledge: the number of records from `offset` on that a request accepts, or that an answer
    gives to the member (KIP-932)."""
    deliveries: int | None = None
    """ShareFetch response: how often these records were given to members, this time included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A relay port accepted a connection of this cell."""

    at: int
    conn: int
    """Unique within a trial."""
    broker: int
    """Node id of the port's broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A connection ended."""

    at: int
    conn: int
    broker: int
    by: str
    """`client`, `broker`, or `relay` (cut by the harness)."""


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
    """Bytes of the frame, including the length prefix."""
    rows: tuple[Row, ...] = ()
    everything: bool = False
    """Metadata: the request asks for all topics. A request for brokers only has neither rows nor this."""
    acks: int | None = None
    """Produce only."""
    session_epoch: int | None = None
    """ShareFetch and ShareAcknowledge: the epoch of the member's share session; 0 begins one, -1 ends it (KIP-932)."""
    error: str = ""
    """Why the body could not be read, if it could not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response whose last byte the relay forwarded to the client."""

    at: int
    conn: int
    broker: int
    corr: int
    api: int
    version: int
    sent_at: int
    """Time at which the request was received."""
    size: int = 0
    code: int = 0
    """Top-level error code, if the API has one."""
    rows: tuple[Row, ...] = ()
    controller: int | None = None
    """Metadata and DescribeCluster: id of the controller; -1 = none."""
    others: int = 0
    """Metadata: partitions of other topics than the trial's, which have no rows."""
    error: str = ""
    """Why the body could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Many pairs of requests and responses of a stormy connection as one event.

    The first and last frames of every distinct (api, code, object) of the span remain events of their own.
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
    """Distinct response rows, each once."""


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
    """Admin: one question was answered (`probe.model.questions`)."""
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
    """An event reported by the application's side, on the orchestrator's clock."""

    at: int
    kind: AppKind
    instance: str
    partition: int = -1
    sequence: int = -1
    """Producer: number of the operation, per partition. Received: as in the value; `OLD` = older than the client."""
    offset: int = -1
    """Acked and received: the record's offset. Committed: the committed offset."""
    origin_at: int = 0
    """Received: time at which the record was written, read from its value (0 = unknown)."""
    error: ClientError | None = None
    partitions: tuple[int, ...] = ()
    """Assigned and revoked."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Ready: the effective settings, under the names of driver.proto."""
    text: str = ""
    left_out: int = 0
    """Equal errors right before this one that have no event of their own (probe/drivers/error_folding.py)."""


class EngineKind(StrEnum):
    """Events of the brokers."""

    FAULT_ON = "fault_on"
    HIT = "hit"
    """The engine's own count of a rule's first hit. It is a cross-check, never the proof."""
    MOVED = "moved"
    """`broker` is the new target from now on."""
    ANNOUNCED = "announced"
    """Every healthy broker names the new target `broker`."""
    HEALED = "healed"
    STOPPED = "stopped"
    RETURNED = "returned"
    SLOWED = "slowed"
    """From now on the relay delays answers of a connection at `broker` by `value` milliseconds; 0 ends the delay. It
    does so where the client has sent hundreds of requests per second for seconds."""
    WITHHELD = "withheld"
    """For the last `value` milliseconds no client could read records already written to `partition`, since a follower
    in sync had not fetched them. Emitted for partitions that are read."""
    REPLACED = "replaced"
    """From now on brokers of another cluster serve at the brokers' addresses."""
    RELOCATED = "relocated"
    """The name of `broker` leads to another address from now on, or nowhere: `text`. Attempts at the former address are
    refused, and not observed."""
    HANDSHAKE_FAILED = "handshake_failed"
    """The TLS handshake of a connection to `broker` failed; `text` is the reason, in OpenSSL's words. `value` is 1 if
    the scenario's fault makes handshakes fail, else 0."""
    TOKEN_REFUSED = "token_refused"  # noqa: S105  # an event
    """The token server refused a client's request for a token; `text` is its answer. `value` is 1 if the scenario's
    fault is the reason, else 0."""
    LOG = "log"
    """A line of a real broker's log."""
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineEvent:
    """A change or an observation of the brokers."""

    at: int
    kind: EngineKind
    broker: int = -1
    topic: str = ""
    partition: int = -1
    key: str = ""
    value: int = 0
    text: str = ""
    conn: int = -1
    """The connection that the event is about. Only the cell that owns the connection gets the event."""


class MarkKind(StrEnum):
    """Milestones of the harness."""

    WARM = "warm"
    """Warm-up ended: operations succeed on both partitions."""
    ELECTED = "elected"
    """The harmless election is over: every broker names the leader that the fault finds."""
    HEALING = "healing"
    """The observation ended and the fault is about to be reverted."""
    STOPPING = "stopping"
    """The instance was asked to stop."""
    STOPPED = "stopped"
    """The instance reported closed, or its deadline passed."""
    END = "end"
    PACED = "paced"
    """The interval per partition between operations, or between records written, is `text` from now on, in ms."""
    AWAY = "away"
    """The application does not work from now on: `text` says what it does."""
    BACK = "back"
    """It works again."""
    KILLED = "killed"
    """The process of the second member of the client's group is killed."""
    JOINS = "joins"
    """A second member of the client's group starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A milestone of the harness."""

    at: int
    kind: MarkKind
    text: str = ""


Event = Opened | Closed | Request | Response | Folded | App | EngineEvent | Mark
"""All kinds of events in a history, which is ordered by `at`."""
