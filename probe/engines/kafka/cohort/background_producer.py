"""The background producer: writes the records that consumers read, past the relay.

It sends one request per broker and tick for all topics; topics with the same interval share their ticks. A client
library would send one per partition, which for a whole cohort would load the brokers so much that leaders move late.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.records import base_offsets, produce_version, request
from probe.engines.kafka.admin.requests import Partition
from probe.engines.kafka.admin.wire import Line, dial
from probe.errors import EngineError
from probe.model.clock import now_us
from probe.model.endpoint import Endpoint
from probe.protocol import apis

ASK_S = 1.0
"""Deadline of a write; records that miss it are dropped."""
METADATA_S = 0.05
"""Interval between two Metadata requests for missing leaders."""
MIN_INTERVAL_S = 0.02


@dataclass
class _Schedule:
    """The schedule of one partition, in ticks of the producer."""

    least: int
    """Minimum number of ticks between two records, whatever the topic's interval."""
    sequence: int = 0

    def due(self, tick: int, ticks: int, batch: int) -> range:
        """Return the numbers of the records that are due at this tick, with a batch per `ticks` ticks; count them."""
        if tick % max(ticks, self.least):
            return range(0)
        self.sequence += batch
        return range(self.sequence - batch + 1, self.sequence + 1)


@dataclass
class _Topic:
    schedules: Mapping[int, _Schedule]
    """By partition."""
    ticks: int
    """Number of ticks from one batch to the next."""
    batch: int
    """Number of records that are written together."""


@dataclass
class _BrokerQueue:
    """The connection to one broker, and the records that wait for it."""

    address: Endpoint
    waiting: dict[Partition, list[bytes]] = field(default_factory=dict)
    some: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    line: Line | None = None

    def drop_line(self) -> None:
        """Close the connection, if there is one."""
        if self.line is not None:
            self.line.close()
            self.line = None


class BackgroundProducer:
    """Writes a record, or a batch of them, per interval to each partition of all started topics.

    Records that cannot be written in time are dropped, and no record is written twice.
    """

    def __init__(self, brokers: Mapping[int, Endpoint], version: str, tick_ms: int) -> None:
        """Create the producer; `brokers` has addresses past the relay by node. A tick is the shortest interval."""
        self._queues = {node: _BrokerQueue(address) for node, address in brokers.items()}
        self._old = ask.is_old(version)
        self._version = produce_version(version)
        self._topics: dict[str, _Topic] = {}
        self._leaders: dict[Partition, int] = {}
        self._written: dict[Partition, int] = {}
        self._lost = asyncio.Event()
        self._tick_s = tick_ms / 1000
        self._tasks: list[asyncio.Task[None]] = []

    def start(
        self,
        topic: str,
        partitions: Sequence[int],
        interval_ms: int,
        least_ms: Mapping[int, int] | None = None,
        batch: int = 1,
    ) -> None:
        """Start to write batches to a topic. `least_ms` has minimum intervals by partition."""
        least = {key: self._ticks(value) for key, value in (least_ms or {}).items()}
        schedules = {partition: _Schedule(least.get(partition, 1)) for partition in partitions}
        self._topics[topic] = _Topic(schedules, self._ticks(interval_ms), batch)
        self._lost.set()
        if not self._tasks:
            works = [self._tick(), self._read_metadata(), *(self._write(queue) for queue in self._queues.values())]
            self._tasks = [asyncio.create_task(work) for work in works]

    def set_interval(self, topic: str, interval_ms: int) -> None:
        """Set the interval of a topic, rounded to a number of ticks."""
        if topic in self._topics:
            self._topics[topic].ticks = self._ticks(interval_ms)

    def _ticks(self, interval_ms: int) -> int:
        return max(1, round(interval_ms / 1000 / self._tick_s))

    def written(self, partition: Partition) -> int:
        """Return the offset of the last record that a leader accepted; -1 if there is none or the topic is stopped."""
        return self._written.get(partition, -1) if partition[0] in self._topics else -1

    def leave(self, topic: str) -> None:
        """Stop writing to a topic. Sent records may still arrive."""
        if self._topics.pop(topic, None) is not None:
            for queue in self._queues.values():
                queue.waiting = {key: values for key, values in queue.waiting.items() if key[0] != topic}

    async def stop(self, topic: str) -> None:
        """Stop writing to a topic. When this returns, all sent records have arrived or failed."""
        self.leave(topic)
        if not self._tasks:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ASK_S):
                for queue in self._queues.values():
                    await queue.idle.wait()

    async def close(self) -> None:
        """Stop writing to all topics and close all connections."""
        self._topics.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        for queue in self._queues.values():
            queue.drop_line()

    async def _tick(self) -> None:
        """Queue the records that are due."""
        due = time.monotonic()
        most = max(1, round(ASK_S / self._tick_s))
        for tick in count(1):
            for name, topic in list(self._topics.items()):
                for partition, schedule in topic.schedules.items():
                    node = self._leaders.get((name, partition))
                    numbers = schedule.due(tick, topic.ticks, topic.batch)
                    if numbers and node is not None:
                        self._enqueue(self._queues[node], (name, partition), numbers, most * topic.batch)
            due = max(due + self._tick_s, time.monotonic() - self._tick_s)
            await asyncio.sleep(max(MIN_INTERVAL_S, due - time.monotonic()))

    @staticmethod
    def _enqueue(queue: _BrokerQueue, key: Partition, numbers: range, most: int) -> None:
        values = queue.waiting.setdefault(key, [])
        values.extend(f"feed {key[1]} {number} {now_us()}".encode() for number in numbers)
        del values[:-most]
        queue.some.set()

    async def _write(self, queue: _BrokerQueue) -> None:
        """Write all waiting records in one request, then the records that were queued meanwhile."""
        queue.idle.set()
        while True:
            await queue.some.wait()
            records, queue.waiting = queue.waiting, {}
            queue.some.clear()
            if not records:
                continue
            queue.idle.clear()
            try:
                lost = await self._send(queue, records)
            except (OSError, EngineError, struct.error, IndexError):  # TimeoutError is an OSError
                queue.drop_line()
                lost = list(records)
            queue.idle.set()
            for key in lost:
                self._leaders.pop(key, None)
            if lost:
                self._lost.set()

    async def _send(self, queue: _BrokerQueue, records: Mapping[Partition, Sequence[bytes]]) -> list[Partition]:
        """Send records, and return the partitions that the broker refused. EngineError or OSError."""
        async with asyncio.timeout(ASK_S):
            if queue.line is None:
                queue.line = await dial(queue.address)
            body = request(self._version, records, int(time.time() * 1000), int(ASK_S * 1000))
            found = base_offsets(self._version, await queue.line.ask(apis.PRODUCE, self._version, body))
        taken = {key: base + len(records[key]) - 1 for key, base in found.items() if base is not None}
        self._written.update(taken)
        return [key for key in found if key not in taken]

    async def _read_metadata(self) -> None:
        """Ask the brokers in turn for leaders that are not known."""
        nodes = list(self._queues)
        while True:
            await self._lost.wait()
            missing = [
                (name, partition)
                for name, topic in self._topics.items()
                for partition in topic.schedules
                if (name, partition) not in self._leaders
            ]
            if not missing:
                self._lost.clear()
                continue
            nodes.append(nodes.pop(0))
            with contextlib.suppress(OSError, EngineError, struct.error, IndexError):
                await self._learn(self._queues[nodes[0]].address, missing)
            await asyncio.sleep(METADATA_S)

    async def _learn(self, address: Endpoint, missing: Sequence[Partition]) -> None:
        async with asyncio.timeout(ASK_S):
            line = await dial(address)
            try:
                answer = await ask.metadata(line, sorted({name for name, _ in missing}), old=self._old)
            finally:
                line.close()
        for key in missing:
            found = answer.placements.get(key)
            if found is not None and found.leader in self._queues:
                self._leaders[key] = found.leader
