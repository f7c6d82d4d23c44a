"""Needs of a member, which its cohort serves: `probe.engines.kafka.cohort.cohort` implements it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol, TypeVar

from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cohort.background_producer import BackgroundProducer
from probe.engines.kafka.cohort.topic_creator import TopicCreator
from probe.scenarios.steps.step import Step

Member_contra = TypeVar("Member_contra", contravariant=True)


class CohortPort(Protocol[Member_contra]):
    """The shared cluster, and the steps that members take together."""

    cluster: KafkaCluster
    old: int
    """The failing broker."""
    producer: BackgroundProducer
    topic_creator: TopicCreator
    dumping: asyncio.Lock
    """Allows one dump at a time: each is a Java process."""
    spoilt: str
    """Why the cluster cannot be used again; empty if it can."""

    elected_at: int
    """When the harmless election was asked for, in microseconds; 0 before."""

    async def elect(self, member: Member_contra) -> None:
        """Hold the harmless election of all members at once, when all are ready. StragglerError as `await_cohort`."""

    def leave_election(self, member: Member_contra) -> None:
        """Let the others hold the harmless election without a member that has none."""

    async def await_cohort(self, member: Member_contra) -> None:
        """Wait until all members are warm. StragglerError for a member that the others went on without."""

    async def inject(self, member: Member_contra, steps: Sequence[Step], election_ms: int) -> None:
        """Inject the fault when all members have asked for it. EngineError or OSError if that fails."""

    async def revert(self, member: Member_contra) -> None:
        """Revert the fault when all members that observed it have asked for it. EngineError or OSError if it fails."""

    def leave(self, member: Member_contra) -> None:
        """Remove a member; the others no longer wait for it."""
