"""Steps on topics. Each engine implements them itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTopic:
    """The failing broker does not know the topic: neither in Metadata nor for reads and writes of its partitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HidePartition:
    """Metadata of every broker lists the topic without its last partition, which is read and written as before.

    That is the bystander's, since a list of partitions has no gaps.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTopic:
    """The topic is deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecreateTopic:
    """The topic is deleted and, half an election later, created again: new topic id, empty, epochs from the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceTopic:
    """The topic is deleted, is gone for a while, and comes back under its name; soon another broker leads it, or not.

    It has another topic id and leader epochs from the start. Its records are read back.
    """

    gone_ms: int
    """Time during which no broker knows it."""
    longer_by: int = 0
    """The new logs hold this many records more than the old ones did when it was deleted; 0 = they are empty."""
    same_leader: bool = False
    """The broker that led the old topic leads the new one, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetProducers:
    """From the return of a recreated topic on, every broker refuses its first batches: their producer is unknown."""

    code: int
    """Error of the refusal."""
    times: int
    """Produce requests that each broker refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowTopic:
    """Partitions are added to the topic."""

    partitions: int
    """New number of partitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowWhileAssigning:
    """Partitions are added to the topic while the group's leader waits for the answer to its assignment."""

    partitions: int
    """New number of partitions."""
    held_ms: int
    """Time for which the answer to the leader's SyncGroup is kept back."""


TopicStep = (
    ForgetTopic
    | HidePartition
    | DeleteTopic
    | RecreateTopic
    | ReplaceTopic
    | ForgetProducers
    | GrowTopic
    | GrowWhileAssigning
)
