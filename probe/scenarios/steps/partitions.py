"""What a scenario asks of an engine, in Kafka's words; each engine has its own way to do each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from probe.scenarios.steps.brokers import BrokerStep
from probe.scenarios.steps.coordinators import CoordinatorStep
from probe.scenarios.steps.real import RealStep


class Held(StrEnum):
    """What lies on a disk; whose disk it is follows."""

    LEADER = "leader"
    """The affected partition, where it is led."""
    FOLLOWER = "follower"
    """The affected partition, where it is followed."""
    COORDINATOR = "coordinator"
    """The internal topics, where the affected key is coordinated."""
    EVERYTHING = "everything"
    """All that the broker has which leads the affected partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakLogDir:
    """The log dir that holds the affected partition dies at its leader; leadership moves, the old broker answers 56."""

    holds: Held = Held.LEADER
    """Anything else: real brokers only."""
    full: bool = False
    """No space is left, instead of an I/O error; real brokers only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveLeader:
    """The affected partition's leadership moves to another broker."""

    drop_replica: bool = False
    """The old leader loses its replica (reassignment); else it stays in sync (preferred election)."""
    elected: bool = False
    """An election's time after the fault, not at once; real brokers need no telling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCoordinator:
    """The affected group's (or transactional id's) coordinator moves."""

    loading_ms: int = 0
    """The new coordinator answers COORDINATOR_LOAD_IN_PROGRESS for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCoordinator:
    """The affected key's coordinator loads its log anew: it answers COORDINATOR_LOAD_IN_PROGRESS until healed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseCoordinator:
    """Nobody coordinates the affected key until healed: COORDINATOR_NOT_AVAILABLE from every broker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseLeader:
    """Nobody leads the affected partition; Metadata says so."""

    for_ms: int = 0
    """Then the next broker leads it; 0 = until healed, and then the same one does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LagMetadata:
    """Every broker's Metadata shows the cluster as it was so long ago."""

    lag_ms: int
    but_successor: bool = False
    """The broker that takes over names itself at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTopic:
    """The target broker does not know the topic: neither in Metadata nor where its partitions are read or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTopic:
    """The topic is deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecreateTopic:
    """The topic is deleted and, half an election later, made again: another topic id, empty, epochs from the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowTopic:
    """Partitions are added to the topic."""

    partitions: int
    """New total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollBack:
    """The target broker comes back as an older Kafka line: it closes on versions and APIs that are not known there."""

    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejoin:
    """The next heartbeat of the affected group is answered REBALANCE_IN_PROGRESS, as when another member has come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerError:
    """A broker answers an error code about the affected object, without doing the work."""

    api: int
    code: int
    times: int = 0
    """How many answers; 0 = until healed."""
    moved: bool = False
    """The target moves to another broker, as in a real failure; else it stays."""
    applied: bool = False
    """The work is done, and the answer says that it was not."""
    acks_all: bool = False
    """Only Produce requests with acks=all."""
    with_epoch: bool = False
    """Only where the client sent a leader epoch."""
    min_version: int = 0
    """Only request versions from here on."""
    whole_topic: bool = False
    """About the whole topic, not about the affected partition alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutConnections:
    """Established connections to the target broker are reset, once; nothing else changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldDiscovery:
    """The relay passes Metadata and FindCoordinator answers on only after so long."""

    hold_ms: int


Step = (
    BreakLogDir
    | MoveLeader
    | MoveCoordinator
    | LoadCoordinator
    | LoseCoordinator
    | LoseLeader
    | LagMetadata
    | ForgetTopic
    | DeleteTopic
    | RecreateTopic
    | GrowTopic
    | RollBack
    | Rejoin
    | AnswerError
    | CutConnections
    | HoldDiscovery
    | BrokerStep
    | RealStep
    | CoordinatorStep
)
