"""Steps that only real brokers support: placement of replicas, speed of disks, preparation before the fault."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepReplicas:
    """Before the fault, partitions keep only the replicas on these brokers, and cached metadata may expire.

    Brokers by turn: 0 = the failing broker, 1 and 2 = the others, by number. The first one leads.
    """

    affected: tuple[int, ...]
    bystander: tuple[int, ...] = ()
    """Empty = unchanged."""
    config: tuple[tuple[str, str], ...] = ()
    """Topic configuration that is set as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """A pause of `ms` before the next step."""

    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigureTopics:
    """The trials' topics get configurations, as (name, value)."""

    config: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReads:
    """Each read from a broker's log dirs is delayed by `delay_ms`, until reverted."""

    delay_ms: int
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyLogs:
    """Before the fault, a topic with filler partitions is created on the log dir of the affected partition."""

    partitions: int
    batches: int
    """Batches written to each of them. No file that a broker trusts after a crash covers them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseZooKeeper:
    """ZooKeeper answers no request for `for_ms`: connections to it stay, and are silent."""

    for_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervise:
    """A supervisor restarts the failing broker: SIGTERM, SIGKILL after `grace_ms`, and a start.

    It starts a broker only while ZooKeeper answers. A broker that does not listen within `check_ms` of its start is
    stopped in the same way and started again, until one listens in time.
    """

    after_ms: int
    grace_ms: int
    check_ms: int
    read_ms: int
    """Delay of each read from the affected partition's log dir while the broker starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFollower:
    """The leader of a ZooKeeper ensemble closes the connection of the follower that serves most brokers, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpLogs:
    """In the end every replica's log segments are dumped by Kafka's own tool, and compared with the read-back."""


class Order(StrEnum):
    """Order in which nodes are restarted."""

    CONTROLLER_LAST = "controller-last"
    """One at a time, the controller (with KRaft the controller node) after all others."""
    CONTROLLER_FIRST = "controller-first"
    TWO_AT_ONCE = "two-at-once"
    """Two brokers together, then the third, then a controller node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartAll:
    """Every node is restarted with a controlled shutdown; the next ones follow when everything is in sync."""

    order: Order
    down_ms: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Decommission:
    """The failing broker's replicas move to others by a plan, and then the broker ends for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetQuota:
    """Each client id of the trials has this quota at every broker, until reverted (KIP-13, KIP-124)."""

    key: str
    """Kafka's own name: `producer_byte_rate`, `consumer_byte_rate`, `request_percentage`."""
    value: float
    """Bytes per second, or percent of one thread."""


RealStep = (
    KeepReplicas
    | Meanwhile
    | ConfigureTopics
    | SlowReads
    | ManyLogs
    | LoseZooKeeper
    | Supervise
    | DropFollower
    | DumpLogs
    | RestartAll
    | Decommission
    | SetQuota
)
