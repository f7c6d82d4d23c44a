"""Topics of a cohort, made together: brokers make a hundred in hardly more time than one.

Each topic takes up to six requests about its log dirs, one to create it, one to take replicas away, and then each
broker is asked until it knows of all that. One after the other, 55 of them took Kafka 2.6 forty seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cluster.properties import line_key
from probe.engines.kafka.cohort.barrier import release
from probe.engines.kafka.ports import Replicas
from probe.errors import EngineError
from probe.model.cluster import BROKERS

BATCH_S = 0.1
"""Who comes so soon after the first is made with it."""
MADE_S, LOOK_S = 10.0, 0.1
ONLY_ONE_DIR = (1, 1)
"""Brokers before this version choose log dirs themselves; none of them survives a broken one anyway."""


@dataclass(frozen=True, slots=True)
class WantedTopic:
    """A topic."""

    topic: str
    replicas: Replicas
    """By partition, the one that is to lead first."""
    places: Mapping[int, int]
    """By partition: in which of a broker's log dirs it lies."""


class TopicCreator:
    """Makes the topics that are asked for at about the same time in one go."""

    def __init__(self, cluster: KafkaCluster) -> None:
        self._cluster = cluster
        self._waiting: list[tuple[WantedTopic, asyncio.Future[None]]] = []
        self._working: asyncio.Task[None] | None = None

    async def create(self, wanted: WantedTopic) -> None:
        """Make a topic. EngineError or OSError where that fails, for all that were made with it."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        await done

    async def close(self) -> None:
        """Stop making; EngineError for who still waits."""
        if self._working is not None:
            self._working.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._working
        release((done for _, done in self._waiting), EngineError("the cohort was given up"))

    async def _work(self) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(BATCH_S)
                batch, failure = list(self._waiting), None
                try:
                    await self._make([wanted for wanted, _ in batch])
                except Exception as error:  # noqa: BLE001  # it is raised by everybody who waits
                    failure = error
                del self._waiting[: len(batch)]
                release((done for _, done in batch), failure)
        finally:
            self._working = None

    async def _make(self, batch: Sequence[WantedTopic]) -> None:
        admin = self._cluster.admin
        chosen = line_key(self._cluster.version) >= ONLY_ONE_DIR
        by_dir: dict[tuple[int, Path], list[tuple[str, int]]] = defaultdict(list)
        for wanted in batch:
            for node, partition, log_dir in self._lying(wanted):
                by_dir[node, log_dir].append((wanted.topic, partition))
        for (node, log_dir), partitions in by_dir.items() if chosen else ():
            await admin.prefer_log_dir(node, str(log_dir), partitions)
        most = {wanted.topic: max(map(len, wanted.replicas.values())) for wanted in batch}
        await admin.create_topics(
            {
                wanted.topic: {number: _whole(nodes)[: most[wanted.topic]] for number, nodes in wanted.replicas.items()}
                for wanted in batch
            }
        )
        # brokers want as many replicas of each partition, so some are taken away again
        fewer = {
            (wanted.topic, number): nodes
            for wanted in batch
            for number, nodes in wanted.replicas.items()
            if len(nodes) < most[wanted.topic]
        }
        if fewer:
            await admin.reassign(fewer)
            await admin.settled(fewer)
        if chosen:
            await self._there(batch)

    async def _there(self, batch: Sequence[WantedTopic]) -> None:
        """Wait until all lie where they should: brokers name a replica before they have made its folder."""
        end = time.monotonic() + MADE_S
        for wanted in batch:
            for node, partition, log_dir in self._lying(wanted):
                folder = log_dir / f"{wanted.topic}-{partition}"
                while not folder.exists():
                    if time.monotonic() > end:
                        raise EngineError(f"broker {node} did not make {folder.name} in {log_dir.name}")
                    await asyncio.sleep(LOOK_S)

    def _lying(self, wanted: WantedTopic) -> Iterator[tuple[int, int, Path]]:
        """Yield (node, partition, log dir)."""
        for partition, nodes in wanted.replicas.items():
            for node in nodes:
                yield node, partition, self._cluster.brokers[node].log_dirs[wanted.places[partition]]


def _whole(nodes: Sequence[int]) -> list[int]:
    return [*nodes, *(node for node in BROKERS if node not in nodes)]
