"""The words that describe a scenario, and those that facts hold."""

from __future__ import annotations

from enum import StrEnum


class Symptom(StrEnum):
    """How a fault shows itself on the client's side of the wire."""

    ANSWER = "answer"
    """A response carries an error code about the affected object."""
    CONNECTION = "connection"
    """An established connection is cut, or cannot be made."""
    SILENCE = "silence"
    """A request is received and never answered."""
    CHANGE = "change"
    """The right broker changes; whoever still asks the old one meets it."""
    NONE = "none"
    """Nothing is done."""


class Reaction(StrEnum):
    """What a good client has to do about a fault."""

    DISCOVER = "discover"
    """The target moved: ask who serves it now, and go there."""
    RETRY = "retry"
    """The target stays and gets well: try again."""
    SURFACE = "surface"
    """The application must be told."""
    NOTHING = "nothing"
    """There is nothing to do."""


class Target(StrEnum):
    """Which broker a fault is about, from the client's point of view."""

    LEADER = "leader"
    COORDINATOR = "coordinator"
    CLUSTER = "cluster"
    NONE = "none"


class Trigger(StrEnum):
    """Why a client asked who serves the affected object."""

    STARTUP = "startup"
    BOOTSTRAP = "bootstrap"
    CONNECT = "connect"
    PERIODIC = "periodic"
    DISCONNECT = "disconnect"
    ERROR = "error"
    UNKNOWN = "unknown"
    NONE = "none"
    """It never asked."""


class Reroute(StrEnum):
    """What led the client to the new target."""

    HINT = "hint"
    REFRESH = "refresh"
    CONNECT = "connect"
    PERIODIC = "periodic"
    BOOTSTRAP = "bootstrap"
    NONE = "none"


class Rescuer(StrEnum):
    """What led a late client to the target."""

    NONE = ""
    """It was not late."""
    RETRY = "retry"
    CONNECT = "connect"
    PERIODIC = "periodic"
    BOOTSTRAP = "bootstrap"
    UNKNOWN = "unknown"
    ITSELF = "itself"
    """Because of the fault, or by a hint: it was only slow."""


class AfterHeal(StrEnum):
    """What a client that had not recovered did once the fault was mended."""

    NONE = ""
    """It had recovered, or it was not watched for long enough."""
    RECOVERED = "recovered"
    STUCK = "stuck"


class StormBound(StrEnum):
    """A bound on what a client may cost, by its letter; `Facts.storm` joins those that were exceeded."""

    IDLE = "a"
    """Discoveries although nothing happened."""
    ASKED = "b"
    """Discoveries per operation and time."""
    CONNECTED = "c"
    """Connections per time."""
    FUTILE = "d"
    """Futile requests per operation and time."""
