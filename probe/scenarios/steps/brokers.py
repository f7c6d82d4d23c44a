"""Steps that affect a whole broker or the network. Each engine implements them in its own way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """Time of a step; by default at once."""

    after_ms: int = 0
    elected: bool = False
    """Adds the expectation's election time."""
    from_hit: bool = False
    """Counts from the first hit of the fault's answers (2 s after the fault if there is none), not from the fault."""
    lingers: bool = False
    """`probe.planning.variants` adds the time for which a broker of the release line serves after its leaders moved."""

    def due_ms(self, election_ms: int) -> int:
        """Return the time from the fault, or from its first hit, with an election of this length.

        >>> When(after_ms=300, elected=True).due_ms(150)
        450
        """
        return self.after_ms + (election_ms if self.elected else 0)


NOW = When()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopBroker:
    """A broker's process and its connections end; its port refuses."""

    when: When = NOW
    turn: int = 0
    """0 = the broker that leads and coordinates the affected objects; 1 and 2 = the others, by number."""
    listed: bool = True
    """Metadata still lists the broker, until it is evacuated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HangBroker:
    """A broker answers nothing any more; its port accepts. A stopped broker listens again first."""

    when: When = NOW
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnBroker:
    """A broker that was stopped or hung serves again; it leads nothing."""

    when: When = NOW
    turn: int = 0
    behind_name: bool = False
    """It does so at another IP address, to which its name leads from then on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evacuate:
    """All leaderships and coordinators of a broker move to others."""

    when: When = NOW
    turn: int = 0
    leaves: bool = False
    """The broker also leaves Metadata's list of brokers."""
    drop_replicas: bool = False
    """The broker also loses its replicas (reassignment)."""
    loading_ms: int = 0
    """Time for which the new coordinators answer COORDINATOR_LOAD_IN_PROGRESS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resign:
    """The failing broker leads and coordinates nothing any more and answers so, before others know its successors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseAnswers:
    """The failing broker processes a request, and its answer is lost with the connection."""

    apis: tuple[int, ...]
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CutAnswers:
    """The failing broker processes a request, and the connection ends inside its answer."""

    apis: tuple[int, ...]
    passing: tuple[int, ...] = (2, 8, -1)
    """Bytes that pass of each answer that is cut; negative: all but that number. By default the end comes inside the
    length, after the header, and before the last byte."""

    @property
    def times(self) -> int:
        """Number of answers."""
        return len(self.passing)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepAnswers:
    """The failing broker processes a request, and its answer comes after the client has given the request up.

    Answers behind it on the same connection wait, too.
    """

    apis: tuple[int, ...]
    times: int
    beyond_own_ms: int
    """Added to the client's own request timeout and longest back-off."""
    keep_ms: int = 0
    """The whole time, once the client has reported its timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """A quota that every request to the failing broker exceeds: its answers carry a throttle time (KIP-219).

    After each of them the broker reads nothing from the connection for as long.
    """

    apis: tuple[int, ...]
    throttle_ms: int
    when: When = NOW


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireIdle:
    """Connections to any broker over which nothing has passed for `after_ms` are closed, until reverted."""

    after_ms: int
    forgotten: bool = False
    """Nobody closes them: a balancer in between has forgotten them, and drops what either side sends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitVersions:
    """No broker knows ApiVersions above version `highest`, and none answers UNSUPPORTED_VERSION as it should."""

    highest: int
    malformed: bool = False
    """Brokers answer UNSUPPORTED_VERSION in a body that fits no version; otherwise they reset the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseConnections:
    """The network refuses connections to the failing broker; established ones are reset first."""

    once_tried: bool = False
    """Connections hang until the first attempt, which proves that the client met the fault; then all are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blackhole:
    """No bytes pass between clients and the failing broker in either direction, and no connection can be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDown:
    """Every answer of the failing broker is delayed by `delay_ms`."""

    delay_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAddress:
    """The failing broker is gone for `down_ms`, and returns on another port with its id, leaderships and keys.

    Meanwhile Metadata does not list it, and what it led or coordinated has no other leader or coordinator.
    """

    down_ms: int
    silent: bool = False
    """Its old port is silent for good and connections to it stay half open; otherwise they are reset and it refuses."""
    behind_name: bool = False
    """It returns at another IP address, to which its name leads from then on; Metadata names the same host and port."""
    hides_name: bool = False
    """Until then its name leads nowhere (NXDOMAIN); otherwise it leads to the old address."""
    keeps_former: bool = False
    """From then on its name leads to two addresses: first the old one, where attempts get no answer, then the new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapAddresses:
    """The failing broker and another one are killed, and return with each other's address, in office as before.

    Until the first of them is back, Metadata names both at their former addresses.
    """

    turn: int
    """The other one, by turn."""
    other_ms: int
    """Time until the other one is back, at the failing broker's former address."""
    down_ms: int
    """Time until the failing broker is back, at the other one's former address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceCluster:
    """All brokers stop for good; after `down_ms` brokers of another cluster serve at their addresses.

    It has another cluster id, and a topic of the same name with partitions at brokers of the same ids.
    """

    down_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HideBrokers:
    """All brokers serve, and Metadata lists none of them, and so no leader, until reverted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAddresses:
    """All brokers stop, and return on other ports; one bootstrap address stays and leads to one of them."""

    down_ms: int
    behind_name: bool = False
    """The bootstrap name leads to another IP address then, and brokers have other names; the former ones are gone."""


BrokerStep = (
    StopBroker
    | HangBroker
    | ReturnBroker
    | Evacuate
    | Resign
    | LoseAnswers
    | CutAnswers
    | KeepAnswers
    | Throttle
    | ExpireIdle
    | LimitVersions
    | RefuseConnections
    | Blackhole
    | SlowDown
    | ChangeAddress
    | SwapAddresses
    | ReplaceCluster
    | HideBrokers
    | ChangeAddresses
)
