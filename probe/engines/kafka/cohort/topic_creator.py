"""The topic creator: creates topics of a cohort in batches, which take hardly longer than a single topic.

A single topic takes up to six requests about log dirs, one to create it and one to remove replicas. Then all brokers
are polled until they know the result, and the topics get their history.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cohort.barrier import release
from probe.engines.kafka.ports import Replicas
from probe.errors import EngineError
from probe.model import ClusterHistory
from probe.model.release_lines import Since, has

BATCH_S = 0.1
"""Time for which further topics join a batch after the first one."""
MADE_S, LOOK_S = 10.0, 0.1


@dataclass(frozen=True, slots=True)
class WantedTopic:
    """A topic to create."""

    topic: str
    replicas: Replicas
    places: Mapping[int, int]
    """By partition: the index of its log dir on all brokers."""
    elections: Mapping[int, int] = field(default_factory=dict)
    """By partition: leader elections before the client starts."""
    preferred: Replicas = field(default_factory=dict)
    """By partition: the order in which its replicas are left, without an election, where it is another one."""


Aging = Callable[[Mapping[str, Replicas], Mapping[int, int]], Awaitable[Mapping[str, ClusterHistory]]]
"""Gives topics with these replicas, and elections by partition, a history."""


async def no_history(topics: Mapping[str, Replicas], _: Mapping[int, int]) -> Mapping[str, ClusterHistory]:
    """Leave topics as they were created. It is an `Aging`."""
    return dict.fromkeys(topics, ClusterHistory())


class TopicCreator:
    """Creates topics that are requested at about the same time in one batch."""

    def __init__(self, cluster: KafkaCluster, age: Aging = no_history) -> None:
        self._cluster, self._age = cluster, age
        self._waiting: list[tuple[WantedTopic, asyncio.Future[None]]] = []
        self._histories: dict[str, ClusterHistory] = {}
        self._working: asyncio.Task[None] | None = None

    async def create(self, wanted: WantedTopic) -> ClusterHistory:
        """Create a topic and return its history. EngineError or OSError if the creation of its batch fails."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        await done
        return self._histories.pop(wanted.topic)

    async def choose_dir(self, topics: Sequence[str], partitions: Sequence[int], place: int) -> None:
        """Choose the log dir of topics that a client will create. OSError if a broker is not reached."""
        wanted = [(topic, partition) for topic in topics for partition in partitions]
        if wanted and has(self._cluster.version, Since.CHOSEN_LOG_DIRS):
            for node, broker in self._cluster.brokers.items():
                await self._cluster.admin.prefer_log_dir(node, str(broker.log_dirs[place]), wanted)

    async def close(self) -> None:
        """Cancel the creation; pending calls of `create` raise EngineError."""
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
                except Exception as error:  # noqa: BLE001  # it is raised by the pending calls of `create`
                    failure = error
                del self._waiting[: len(batch)]
                release((done for _, done in batch), failure)
        finally:
            self._working = None

    async def _make(self, batch: Sequence[WantedTopic]) -> None:
        admin = self._cluster.admin
        chosen = has(self._cluster.version, Since.CHOSEN_LOG_DIRS)
        by_dir: dict[tuple[int, Path], list[tuple[str, int]]] = defaultdict(list)
        for wanted in batch:
            for node, partition, log_dir in self._lying(wanted):
                by_dir[node, log_dir].append((wanted.topic, partition))
        for (node, log_dir), partitions in by_dir.items() if chosen else ():
            await admin.prefer_log_dir(node, str(log_dir), partitions)
        most = {wanted.topic: max(map(len, wanted.replicas.values())) for wanted in batch}
        brokers = self._cluster.nodes
        await admin.create_topics(
            {
                wanted.topic: {
                    number: (*nodes, *brokers.others(*nodes))[: most[wanted.topic]]
                    for number, nodes in wanted.replicas.items()
                }
                for wanted in batch
            }
        )
        # brokers require the same number of replicas for all partitions of a topic, so extra ones are removed
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
            await self._folders_exist(batch)
        elections = {number: count for wanted in batch for number, count in wanted.elections.items()}
        self._histories |= await self._age({wanted.topic: wanted.replicas for wanted in batch}, elections)
        preferred = {(one.topic, number): nodes for one in batch for number, nodes in one.preferred.items()}
        if preferred:
            await admin.reassign(preferred)
            await admin.placed(preferred)

    async def _folders_exist(self, batch: Sequence[WantedTopic]) -> None:
        """Wait for the folders of all replicas: brokers report a replica before they create its folder."""
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
