"""Steps where a whole broker or the network fails, in Kafka's words; each engine has its own way to do each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """When a step happens; at once unless said otherwise."""

    after_ms: int = 0
    elected: bool = False
    """The play's election time is added."""
    from_hit: bool = False
    """Counted from the first hit of the fault's answers (2 s after the fault if there is none), not from the fault."""
    lingers: bool = False
    """Whether `probe.planning.variants` adds the time for which a broker of the line serves after its leaders moved."""


NOW = When()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopBroker:
    """A broker's process ends: its connections too, its port refuses."""

    when: When = NOW
    turn: int = 0
    """0 = the one that leads and coordinates what is affected; 1 and 2 = the others, by number."""
    listed: bool = True
    """Metadata still lists it, until it is evacuated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HangBroker:
    """A broker answers nothing any more; its port accepts. One that was stopped listens again first."""

    when: When = NOW
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnBroker:
    """A broker that was stopped or hung serves again; it leads nothing."""

    when: When = NOW
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evacuate:
    """All that a broker leads or coordinates moves to others."""

    when: When = NOW
    turn: int = 0
    leaves: bool = False
    """It leaves Metadata's list of brokers, too."""
    drop_replicas: bool = False
    """Its replicas are taken away, too (reassignment)."""
    loading_ms: int = 0
    """The new coordinators answer COORDINATOR_LOAD_IN_PROGRESS for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign:
    """The target broker leads and coordinates nothing any more, and says so, before others know who does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseAnswers:
    """The target broker does what is asked, and its answer is lost with the connection."""

    apis: tuple[int, ...]
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseConnections:
    """The network refuses connections to the target broker; established ones are reset first."""

    once_tried: bool = False
    """They hang until somebody tries to connect, which is the proof that it met the fault; then all are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blackhole:
    """Nothing passes between clients and the target broker, in either direction; not even a new connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDown:
    """Everything that the target broker answers is so late."""

    delay_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAddresses:
    """All brokers go, and return on other ports; one bootstrap address stays and leads to one of them."""

    down_ms: int


BrokerStep = (
    StopBroker
    | HangBroker
    | ReturnBroker
    | Evacuate
    | Resign
    | LoseAnswers
    | RefuseConnections
    | Blackhole
    | SlowDown
    | ChangeAddresses
)
