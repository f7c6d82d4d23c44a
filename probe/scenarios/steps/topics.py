"""Steps on topics. Each engine implements them itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetTopic:
    """The failing broker does not know the topic: neither in Metadata nor for reads and writes of its partitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteTopic:
    """The topic is deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecreateTopic:
    """The topic is deleted and, half an election later, created again: new topic id, empty, epochs from the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowTopic:
    """Partitions are added to the topic."""

    partitions: int
    """New number of partitions."""


TopicStep = ForgetTopic | DeleteTopic | RecreateTopic | GrowTopic
