"""Where a trial's topic and its coordinators are placed, and how often the topic is fed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Spread(StrEnum):
    """What the broker that fails has of a trial, at the start."""

    SHARED = "shared"
    """Everything: it leads both partitions and coordinates both keys."""
    BYSTANDER_APART = "bystander-apart"
    """Nothing of the bystander: neither a replica of its partition nor its key."""
    COORDINATES_ONLY = "coordinates-only"
    """The keys of the client under test; no replica of either partition, nothing of the bystander."""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Node ids for a trial's objects."""

    affected: tuple[int, ...]
    """Replicas of the affected partition, its leader first."""
    bystander: tuple[int, ...]
    """Replicas of the bystander's partition, its leader first."""
    coordinator: int
    """Coordinates the group and the transactional id of the client under test."""
    bystander_coordinator: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPlan:
    """How a trial's topic is created and fed."""

    feed_ms: int
    """Records are written to the topic at this interval; 0 = never."""
    bystander_ms: int
    """The shortest interval for the bystander's partition."""
    spread: Spread = Spread.SHARED

    def places(self, old: int, brokers: Sequence[int]) -> Places:
        """Return where everything is placed; `old` is the id of the broker that fails."""
        others = tuple(node for node in brokers if node != old)
        everywhere = (old, *others)
        partitions = self.spread in {Spread.SHARED, Spread.BYSTANDER_APART}
        return Places(
            affected=everywhere if partitions else others,
            bystander=everywhere if self.spread is Spread.SHARED else others,
            coordinator=others[0] if self.spread is Spread.NOTHING else old,
            bystander_coordinator=old if self.spread is Spread.SHARED else others[0],
        )
