"""Placement of a trial's topic and coordinators, and the interval at which records are written. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from probe.model.cluster import Nodes


class Spread(StrEnum):
    """The parts of a trial that are on the failing broker at the start."""

    SHARED = "shared"
    """All: it leads both partitions and coordinates both keys."""
    BYSTANDER_APART = "bystander-apart"
    """No part of the bystander: neither a replica of its partition nor its key."""
    COORDINATES_ONLY = "coordinates-only"
    """The keys of the client under test. No replica of either partition, and no part of the bystander."""
    FOLLOWS = "follows"
    """The second replica of the affected partition. No part of the bystander, and no key."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Node ids for a trial's objects."""

    affected: tuple[int, ...]
    """Replicas of the affected partition, the leader first."""
    bystander: tuple[int, ...]
    """Replicas of the bystander's partition, the leader first."""
    coordinator: int
    """Coordinator of the group and the transactional id of the client under test."""
    bystander_coordinator: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPlan:
    """Creation of a trial's topic, with the number of records that fill it."""

    feed_ms: int
    """Interval at which records are written to the topic; 0 = never."""
    bystander_ms: int
    """The shortest interval for the bystander's partition."""
    spread: Spread = Spread.SHARED
    elects: bool = False
    """Another replica leads the affected partition until `Cluster.elect` (docs/engines.md#harmless-election)."""
    elected: bool = True
    """Its partitions had the leader elections of the cluster's history."""
    unused_id: bool = False
    """No producer has used the transactional id before: the fake keeps the timeout of the first one for all others."""
    batch: int = 1
    """Records per interval and partition, written together."""
    racks: bool = False
    """Each broker has a rack of its own (`probe.model.rack`). Embedded engine only: real brokers are started so."""
    moving: int = 1
    """Partitions that the fault hits: all but the bystander, placed as the affected one."""
    group_topics: tuple[str, ...] = ()
    """Topics that the client makes for its groups: what their names have after the group's."""

    def hit(self, bystander: int) -> tuple[int, ...]:
        """Return the partitions that the fault hits: the first `moving` ones beside the bystander."""
        return tuple(number for number in range(self.moving + 1) if number != bystander)[: self.moving]

    def first_leader(self, replicas: Sequence[int], successor: int) -> int:
        """Return the broker that leads the affected partition, with these replicas, when the client starts.

        Where there is a harmless election to come it is one that is neither the leader that the fault finds nor, if
        possible, its `successor` under the fault.
        """
        if not self.elects or len(replicas) == 1:
            return replicas[0]
        return next((node for node in replicas[1:] if node != successor), replicas[1])

    def places(self, old: int, nodes: Nodes) -> Places:
        """Return the placement. `old` is the id of the failing broker."""
        others, everywhere = nodes.others(old), nodes.turns(old)
        affected = {
            Spread.SHARED: everywhere,
            Spread.BYSTANDER_APART: everywhere,
            Spread.FOLLOWS: (others[0], old, *others[1:]),
        }
        return Places(
            affected=affected.get(self.spread, others),
            bystander=everywhere if self.spread is Spread.SHARED else others,
            coordinator=others[0] if self.spread in {Spread.NOTHING, Spread.FOLLOWS} else old,
            bystander_coordinator=old if self.spread is Spread.SHARED else others[0],
        )
