"""Steps on partitions and the broker that leads them. Each engine implements them itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Held(StrEnum):
    """Content of a disk, which determines the disk."""

    LEADER = "leader"
    """The affected partition, at its leader."""
    FOLLOWER = "follower"
    """The affected partition, at a follower."""
    SERVING_FOLLOWER = "serving-follower"
    """The affected partition, at the failing broker, which follows it and serves the reader."""
    COORDINATOR = "coordinator"
    """The internal topics, at the coordinator of the affected key."""
    EVERYTHING = "everything"
    """All log dirs of the broker that leads the affected partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakLogDir:
    """The log dir that holds the affected partition dies at its leader; leadership moves, the old broker answers 56."""

    holds: Held = Held.LEADER
    """Any other value but the serving follower needs real brokers."""
    full: bool = False
    """The disk has no space left, instead of an I/O error; needs real brokers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldFollowerBack:
    """The failing broker, which follows the affected partition, gets no records any more: it leaves the ISR.

    It still serves readers, and has nothing new for them.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLeader:
    """The affected partition's leadership moves to another broker."""

    drop_replica: bool = False
    """The old leader loses its replica (reassignment); otherwise it stays in sync (preferred election)."""
    elected: bool = False
    """The move comes one election time after the fault, not at once. Real brokers ignore this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseLeader:
    """The affected partition has no leader, also in Metadata."""

    for_ms: int = 0
    """Time until the next broker leads it; 0 = until reverted, and then the same broker leads it."""
    whole_topic: bool = False
    """The bystander's partition loses its leader, too."""
    hinted: bool = False
    """Errors of the replicas hint at leader -1 in the newer epoch (KIP-951); otherwise they have no hint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseAllLeaders:
    """No partition has a leader and no key a coordinator, until reverted; then the same ones as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LagMetadata:
    """Every broker's Metadata shows the cluster as it was `lag_ms` ago."""

    lag_ms: int
    but_successor: bool = False
    """Exception: the broker that takes over names itself at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollBack:
    """The failing broker returns as an older release line: it closes connections on versions and APIs unknown to it."""

    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerError:
    """A broker answers an error code about the affected object, without processing the request."""

    api: int
    code: int
    times: int = 0
    """Number of answers; 0 = until reverted."""
    moved: bool = False
    """The target moves to another broker, as in a real failure; otherwise it stays."""
    applied: bool = False
    """The request is processed, and the answer is an error nevertheless."""
    acks_all: bool = False
    """Only Produce requests with acks=all."""
    with_epoch: bool = False
    """Only requests with a leader epoch."""
    with_node: bool = False
    """Only requests that name the node for which they are meant (KIP-1242)."""
    min_version: int = 0
    """Only request versions from this one on."""
    whole_topic: bool = False
    """The error is about the whole topic, not only the affected partition."""
    known_only: bool = False
    """Only at addresses that Metadata names: the address of the client's configuration serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutConnections:
    """Established connections to the failing broker are reset once; nothing else changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldDiscovery:
    """The relay delays Metadata and FindCoordinator answers by `hold_ms`."""

    hold_ms: int


PartitionStep = (
    BreakLogDir
    | HoldFollowerBack
    | MoveLeader
    | LoseLeader
    | LoseAllLeaders
    | LagMetadata
    | RollBack
    | AnswerError
    | CutConnections
    | HoldDiscovery
)
