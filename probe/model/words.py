"""Enums of the words that describe a scenario, and of those that facts contain."""

from __future__ import annotations

from enum import StrEnum


class Symptom(StrEnum):
    """The appearance of a fault on the client's side of the wire."""

    ANSWER = "answer"
    """A response carries an error code about the affected object."""
    CONNECTION = "connection"
    """An established connection is cut, or cannot be opened."""
    SILENCE = "silence"
    """A request is received and never answered."""
    CHANGE = "change"
    """Another broker becomes the target. A client that still asks the old one meets the fault."""
    ABSENCE = "absence"
    """The brokers serve, and the client's application does not work for a while. No frame shows it."""
    MEMBERSHIP = "membership"
    """A second member of the client's group comes, is killed, or takes over. The two are judged as one group."""
    NONE = "none"
    """No fault."""


class Reaction(StrEnum):
    """The duty of a good client under a fault."""

    DISCOVER = "discover"
    """The target moved: ask for the new target, and go there."""
    RETRY = "retry"
    """The target stays and recovers: try again."""
    SURFACE = "surface"
    """The error must be reported to the application."""
    NOTHING = "nothing"
    """No reaction is needed."""


class Target(StrEnum):
    """Which broker a fault is about, from the client's point of view."""

    LEADER = "leader"
    COORDINATOR = "coordinator"
    CLUSTER = "cluster"
    NONE = "none"
    FOLLOWER = "follower"
    """The follower that serves a reader (KIP-392). The leader stays, and serves the reader that returns to it."""
    CONTROLLER = "controller"
    """Only role admin asks it: whether topics can be created."""


class Trigger(StrEnum):
    """Why a client asked for the leader or coordinator of the affected object."""

    STARTUP = "startup"
    BOOTSTRAP = "bootstrap"
    CONNECT = "connect"
    PERIODIC = "periodic"
    DISCONNECT = "disconnect"
    ERROR = "error"
    UNKNOWN = "unknown"
    NONE = "none"
    """The client never asked."""


class Reroute(StrEnum):
    """The trigger that led the client to the new target."""

    HINT = "hint"
    REFRESH = "refresh"
    CONNECT = "connect"
    PERIODIC = "periodic"
    BOOTSTRAP = "bootstrap"
    NONE = "none"


class Rescuer(StrEnum):
    """The trigger that led a late client to the target."""

    NONE = ""
    """The client was not late."""
    RETRY = "retry"
    CONNECT = "connect"
    PERIODIC = "periodic"
    BOOTSTRAP = "bootstrap"
    UNKNOWN = "unknown"
    ITSELF = "itself"
    """It reacted to the fault, or to a hint, but slowly."""


class Ender(StrEnum):
    """End of the time in which a client's work stood still."""

    NONE = ""
    """It was not watched for that, or nothing was required of it but an error."""
    HINT = "hint"
    ERROR = "error"
    """It asked because of an error answer."""
    DISCONNECT = "disconnect"
    """It asked because a connection was lost, or a request timed out."""
    CONNECT = "connect"
    PERIODIC = "periodic"
    BOOTSTRAP = "bootstrap"
    RETRY = "retry"
    """It reached the target without having asked."""
    UNKNOWN = "unknown"
    HEALED = "healed"
    """The fault ended by itself."""
    NOTHING = "nothing"
    """Work stood still to the end of the observation."""
    STARTUP = "startup"
    """It started under the fault, and its start went on until a broker answered."""


class LearnedBy(StrEnum):
    """Way by which the application learned why a log-in or a permission was refused."""

    NONE = ""
    """It was not about that, or nothing was refused."""
    ERROR = "error"
    """The error of an operation or of a call, or the one that ended the client."""
    NOTICE = "notice"
    """A callback of the whole client, or its log; no error of an operation."""
    NOTHING = "nothing"
    """It was refused, and nothing that the application was given names the reason."""


class OwnLimit(StrEnum):
    """A limit of the library's own after which it does something else: what may rescue a client that stands still."""

    NONE = ""
    REFRESH = "refresh"
    """Its periodic refresh of metadata."""
    DELIVERY = "delivery"
    SESSION = "session"
    """Session and rebalance time-out of a member."""
    REQUEST = "request"
    CONNECTION = "connection"
    """Socket time-out, or that of a connection that is set up."""
    RETRY = "retry"
    """Its longest back-off."""


class AfterHeal(StrEnum):
    """The state of a client that had not recovered, after the fault was reverted."""

    NONE = ""
    """It had recovered, or it was not observed for long enough."""
    RECOVERED = "recovered"
    STUCK = "stuck"


class PhaseClock(StrEnum):
    """The repeated action of a client on whose interval the moment of the fault lies."""

    NONE = ""
    """Nothing that is frequent enough, or it began after the fault."""
    REFRESH = "refresh"
    """Its periodic Metadata."""
    HEARTBEAT = "heartbeat"
    COMMIT = "commit"
    OPERATION = "operation"
    """The operations that it is asked for, or the records that are written for it."""


class StormBound(StrEnum):
    """A bound on the load that a client may cause, by its letter. `Facts.storm` joins those that were exceeded."""

    IDLE = "a"
    """Discoveries although nothing happened."""
    ASKED = "b"
    """Discoveries per operation and time."""
    CONNECTED = "c"
    """Connections per time."""
    FUTILE = "d"
    """Futile requests per operation and time."""


UNENDED = "nothing ends it, a refresh every second does not either"
"""Words of a verdict where a client stands still and no refresh is awaited."""
