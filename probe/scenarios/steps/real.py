"""Steps that only real brokers can do: where replicas lie, how fast disks are, what happens before the fault."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepReplicas:
    """Before the fault, partitions keep only the replicas on these brokers; nothing else comes soon after it.

    Brokers by turn: 0 = the one that fails, 1 and 2 = the others, by number. The first one leads.
    """

    affected: tuple[int, ...]
    bystander: tuple[int, ...] = ()
    """Empty = as they are."""
    config: tuple[tuple[str, str], ...] = ()
    """The topic's own configuration from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meanwhile:
    """So long things go on as they are, before the next step."""

    ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowReads:
    """Each read from a broker's log dirs takes so long, until healed."""

    delay_ms: int
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyLogs:
    """Before the fault, a topic of nobody's has so many partitions beside what is affected, on the same log dir."""

    partitions: int
    batches: int
    """Written to each of them, and in no file that a broker may trust after a crash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseZooKeeper:
    """ZooKeeper answers nobody for so long: connections to it stay, and are silent."""

    for_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervise:
    """A supervisor restarts the broker that fails: SIGTERM, SIGKILL when the grace is over, and a start.

    It starts a broker only while ZooKeeper answers. One that does not listen so long after its start is stopped in the
    same way, and started again, until one listens in time.
    """

    after_ms: int
    grace_ms: int
    check_ms: int
    read_ms: int
    """Each read of the log dir of what is affected takes so long while the broker starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFollower:
    """The leader of a ZooKeeper ensemble closes the connection of the follower that serves most brokers, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpLogs:
    """In the end every replica's log segments are dumped by Kafka's own tool, and compared with what is read."""


class Order(StrEnum):
    """In which order nodes are restarted."""

    CONTROLLER_LAST = "controller-last"
    """One at a time, the controller (with KRaft the controller node) after all others."""
    CONTROLLER_FIRST = "controller-first"
    TWO_AT_ONCE = "two-at-once"
    """Two brokers together, then the third, then a controller node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartAll:
    """Every node is shut down as it should be, and started again; the next ones go when everything is in sync."""

    order: Order
    down_ms: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Decommission:
    """The broker that fails hands all its replicas to others by a plan, and ends for good when they have them."""


RealStep = (
    KeepReplicas
    | Meanwhile
    | SlowReads
    | ManyLogs
    | LoseZooKeeper
    | Supervise
    | DropFollower
    | DumpLogs
    | RestartAll
    | Decommission
)
