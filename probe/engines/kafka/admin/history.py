"""Makes the history of a real cluster: before its first cohort, and of every cohort's topics and keys."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from probe.engines.kafka.admin import history_requests as ask
from probe.engines.kafka.admin.admin import KafkaAdmin
from probe.engines.kafka.admin.history_requests import ANSWER_MS, ProducerId
from probe.engines.kafka.admin.records import ALL, NOT_IDEMPOTENT, Numbering, base_offsets, produce_version, request
from probe.engines.kafka.admin.requests import BrokerError, Partition
from probe.engines.kafka.admin.wire import Line, line_to
from probe.engines.kafka.ports import BrokerProcess, Replicas
from probe.errors import EngineError
from probe.model import ClusterHistory, Subject
from probe.model.clock import now_us
from probe.model.cluster import Nodes
from probe.model.cluster_history import WRITER, history_plan
from probe.protocol import apis
from probe.protocol.api_table import CoordinatorKind

Answer = TypeVar("Answer")
MADE_S = 20.0
"""Deadline of each part of a history, on a busy machine."""
COMMITTED_S = 5.0
"""Time after which the answer to a commit counts as lost."""
AGAIN_S = 0.05
FOR_A_MOMENT = frozenset({5, 6, 7, 14, 15, 16, 19, 51})
"""Error codes of a cluster that is about to be ready: no leader or coordinator yet, or a transaction under way."""


class HistoryMaker:
    """Makes histories as `probe.model.cluster_history.history_plan` wants them, past the relay."""

    def __init__(self, version: str, nodes: Nodes, brokers: Mapping[int, BrokerProcess], admin: KafkaAdmin) -> None:
        self._nodes, self._brokers, self._admin = nodes, brokers, admin
        self._version = produce_version(version)
        self._in_turn = itertools.cycle(nodes)
        self.plan = history_plan(version)
        self.whole = ClusterHistory()
        """The history of the cluster itself, without topics and keys of trials."""

    async def of_cluster(self, controller_changes: int) -> None:
        """Create the other topics and give out producer ids; `controller_changes` were made. EngineError or OSError."""
        await self._admin.create_topics(other_topics(self.plan.topics, self._nodes))
        self.whole = ClusterHistory(
            topics=len(self.plan.topics),
            partitions=sum(self.plan.topics.values()),
            controller_changes=controller_changes,
        )
        for _ in range(self.plan.producer_ids):
            await self._new_producer()

    async def of_topics(
        self, topics: Mapping[str, Replicas], elections: Mapping[int, int]
    ) -> Mapping[str, ClusterHistory]:
        """Write to topics, elect leaders, delete the oldest records. The first replicas lead in the end, as before.

        `elections` by partition. All topics together take hardly longer than one. EngineError or OSError.
        """
        leaders = {(topic, number): nodes for topic, replicas in topics.items() for number, nodes in replicas.items()}
        producer = await self._new_producer() if self.plan.producer_ids else None
        half = self.plan.records // 2
        await self._write(leaders, range(half), producer)
        await self._elect(leaders, elections if any(self.plan.elections) else {})
        ends = await self._write(leaders, range(half, self.plan.records), producer)
        starts = await self._delete(leaders) if self.plan.deleted else dict.fromkeys(leaders, 0)
        epochs = await self._epochs(list(topics)) if any(self.plan.elections) else {}
        return {
            topic: replace(self.whole, starts=_of(topic, starts), ends=_of(topic, ends), epochs=_of(topic, epochs))
            for topic in topics
        }

    async def of_keys(self, subject: Subject, made: ClusterHistory) -> ClusterHistory:
        """Commit offsets for a trial's groups and use its transactional ids; return its whole history.

        EngineError or OSError.
        """
        offsets = dict.fromkeys((subject.affected, subject.bystander), self.plan.committed)
        for group in subject.groups:
            question = partial(ask.commit, group=group, topic=subject.topic, offsets=offsets)
            await self._at_coordinator(CoordinatorKind.GROUP, group, question)
        for name in subject.transactional_ids if self.plan.transactions else ():
            for _ in range(self.plan.transactions):
                await self._at_coordinator(
                    CoordinatorKind.TRANSACTION, name, partial(ask.init_producer_id, transactional_id=name)
                )
        return replace(
            made,
            committed=offsets if subject.groups else {},
            transactions=self.plan.transactions if subject.transactional_ids else 0,
        )

    async def _new_producer(self) -> ProducerId:
        node = next(self._in_turn)
        found = await _retried(lambda: self._on(node, lambda line: ask.init_producer_id(line, None)))
        self.whole = replace(self.whole, producer_ids=self.whole.producer_ids + 1)
        return found

    async def _write(
        self, leaders: Mapping[Partition, Sequence[int]], numbers: range, producer: ProducerId | None
    ) -> dict[Partition, int]:
        """Append these records to each partition, and return the log end offsets."""
        numbering = Numbering(producer.id, producer.epoch, numbers.start) if producer else NOT_IDEMPOTENT
        left, ends = dict(leaders), dict[Partition, int]()
        end = time.monotonic() + MADE_S
        while left:
            by_node = {node: [key for key, nodes in left.items() if nodes[0] == node] for node in self._nodes}
            found = await asyncio.gather(
                *(self._append(node, keys, numbers, numbering) for node, keys in by_node.items() if keys)
            )
            for key, base in (item for each in found for item in each.items()):
                if base is not None:
                    ends[key] = base + len(numbers)
                    del left[key]
            if left and time.monotonic() > end:
                topic, partition = next(iter(left))
                raise EngineError(f"{topic}-{partition} did not take old records within {MADE_S:.0f} s")
            if left:
                await asyncio.sleep(AGAIN_S)
        return ends

    async def _append(
        self, node: int, keys: Sequence[Partition], numbers: range, numbering: Numbering
    ) -> dict[Partition, int | None]:
        values = {key: [f"{WRITER} {key[1]} {number} {now_us()}".encode() for number in numbers] for key in keys}
        body = request(self._version, values, time.time_ns() // 1_000_000, ANSWER_MS, acks=ALL, numbering=numbering)
        answer = await self._on(node, lambda line: line.ask(apis.PRODUCE, self._version, body))
        return base_offsets(self._version, answer)

    async def _elect(self, leaders: Mapping[Partition, Sequence[int]], elections: Mapping[int, int]) -> None:
        """Let the first two replicas lead in turn: the order of replicas changes, then the first one is elected."""
        for number in range(max(elections.values(), default=0)):
            now = {
                key: nodes if number % 2 else (nodes[1], nodes[0], *nodes[2:])
                for key, nodes in leaders.items()
                if elections.get(key[1], 0) > number and len(nodes) > 1
            }
            await self._admin.reassign(now)
            await self._admin.elect_preferred(list(now))
        await self._admin.settled(leaders)

    async def _delete(self, leaders: Mapping[Partition, Sequence[int]]) -> dict[Partition, int]:
        """Delete the oldest records, and return the log start offsets."""
        by_node = {node: [key for key, nodes in leaders.items() if nodes[0] == node] for node in self._nodes}
        found = await asyncio.gather(*(self._delete_at(node, keys) for node, keys in by_node.items() if keys))
        return {key: start for each in found for key, start in each.items()}

    async def _delete_at(self, node: int, keys: Sequence[Partition]) -> dict[Partition, int]:
        return await _retried(lambda: self._on(node, lambda line: ask.delete_records(line, keys, self.plan.deleted)))

    async def _epochs(self, topics: Sequence[str]) -> dict[Partition, int]:
        return await self._on(next(self._in_turn), lambda line: ask.leader_epochs(line, topics))

    async def _at_coordinator(self, kind: int, key: str, question: Callable[[Line], Awaitable[object]]) -> None:
        """Ask a key's coordinator. A commit whose answer is lost is repeated; a producer that starts is another one."""
        repeats = kind == CoordinatorKind.GROUP

        async def once() -> None:
            node = await self._admin.coordinator(kind, key, at=next(self._in_turn))
            if node < 0:
                raise BrokerError(f"{key} has no coordinator", 15)
            await self._on(node, question, COMMITTED_S if repeats else MADE_S)

        await _retried(once, lost=repeats)

    async def _on(self, node: int, question: Callable[[Line], Awaitable[Answer]], deadline_s: float = MADE_S) -> Answer:
        async with line_to(self._brokers[node].internal, deadline_s) as line:
            return await question(line)


def other_topics(sizes: Mapping[str, int], nodes: Nodes) -> Mapping[str, Replicas]:
    """Return replicas of the other topics: all brokers, and leaders in turn."""
    return {
        topic: {number: nodes.beginning(nodes.at(place + number)) for number in range(size)}
        for place, (topic, size) in enumerate(sizes.items())
    }


def _of(topic: str, values: Mapping[Partition, int]) -> dict[int, int]:
    return {number: value for (name, number), value in values.items() if name == topic}


async def _retried(work: Callable[[], Awaitable[Answer]], *, lost: bool = False) -> Answer:
    """Repeat while the cluster is about to be ready, and, if `lost`, when no answer comes. BrokerError or TimeoutError.

    Kafka 0.9 loses answers while other clients ask it for API versions (incident/unknown-api-key).
    """
    end = time.monotonic() + MADE_S
    while True:
        try:
            return await work()
        except BrokerError as error:
            if error.code not in FOR_A_MOMENT or time.monotonic() > end:
                raise
        except TimeoutError:
            if not lost or time.monotonic() > end:
                raise
        await asyncio.sleep(AGAIN_S)
