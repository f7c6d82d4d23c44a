"""Writes what consumers read, off the relay: at each beat one request per broker, whatever the number of topics.

A client library sends a request per partition: for the consumers of a whole cohort those were most of what brokers had
to do, and they moved leaders seconds late.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.records import base_offsets, produce_version, request
from probe.engines.kafka.admin.requests import Partition
from probe.engines.kafka.admin.wire import Line, dial
from probe.errors import EngineError
from probe.model.clock import now_us
from probe.model.endpoint import Endpoint
from probe.protocol import apis

ASK_S = 1.0
"""What is not written within so long is not made up for."""
METADATA_S = 0.05
"""Between two questions for a leader."""
MIN_INTERVAL_S = 0.02


@dataclass
class _Schedule:
    """Of one partition."""

    least: int
    """So many beats from one record to the next, whatever the topic's pace."""
    sequence: int = 0
    idle: int = 0
    """Beats since it was written to."""

    def comes(self, beats: int) -> bool:
        """Say whether it is due at this beat, where the topic is written to at one of so many."""
        self.idle += 1
        if self.idle < max(beats, self.least):
            return False
        self.idle = 0
        self.sequence += 1
        return True


@dataclass
class _Topic:
    turns: Mapping[int, _Schedule]
    """By partition."""
    beats: int = 1
    """It is written to at one of so many beats."""


@dataclass
class _BrokerQueue:
    """The way to one broker."""

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
    """Writes one record each interval to each partition of every topic that asked for it, to its leader alone.

    What cannot be written now is not made up for, and nothing is written twice.
    """

    def __init__(self, brokers: Mapping[int, Endpoint], version: str) -> None:
        """Describe it; addresses by node."""
        self._ways = {node: _BrokerQueue(address) for node, address in brokers.items()}
        self._old = ask.is_old(version)
        self._version = produce_version(version)
        self._topics: dict[str, _Topic] = {}
        self._leaders: dict[Partition, int] = {}
        self._written: dict[Partition, int] = {}
        self._lost = asyncio.Event()
        self._interval_s = 0.0
        self._tasks: list[asyncio.Task[None]] = []

    def start(
        self, topic: str, partitions: Sequence[int], interval_ms: int, least_ms: Mapping[int, int] | None = None
    ) -> None:
        """Begin to feed a topic; all topics of a feeder have the same interval at first.

        The partitions in `least_ms` get a record so often at the most.
        """
        self._interval_s = interval_ms / 1000
        least = {key: self._ticks(value) for key, value in (least_ms or {}).items()}
        self._topics[topic] = _Topic({partition: _Schedule(least.get(partition, 1)) for partition in partitions})
        self._lost.set()
        if not self._tasks:
            works = [self._tick(), self._read_metadata(), *(self._write(way) for way in self._ways.values())]
            self._tasks = [asyncio.create_task(work) for work in works]

    def set_interval(self, topic: str, interval_ms: int) -> None:
        """Feed a topic each so many milliseconds from now on: a number of the feeder's own intervals."""
        if topic in self._topics:
            self._topics[topic].beats = self._ticks(interval_ms)

    def _ticks(self, interval_ms: int) -> int:
        return max(1, round(interval_ms / 1000 / self._interval_s))

    def written(self, partition: Partition) -> int:
        """Return the offset of the last record that a leader took; -1 if there is none, or no more will come."""
        return self._written.get(partition, -1) if partition[0] in self._topics else -1

    def leave(self, topic: str) -> None:
        """Feed a topic no more; what was sent may still arrive."""
        if self._topics.pop(topic, None) is not None:
            for way in self._ways.values():
                way.waiting = {key: values for key, values in way.waiting.items() if key[0] != topic}

    async def stop(self, topic: str) -> None:
        """Feed a topic no more; what was sent has arrived, or failed, when this returns."""
        self.leave(topic)
        if not self._tasks:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ASK_S):
                for way in self._ways.values():
                    await way.idle.wait()

    async def close(self) -> None:
        """Stop everything."""
        self._topics.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        for way in self._ways.values():
            way.drop_line()

    async def _tick(self) -> None:
        """Hand every broker what is due."""
        due = time.monotonic()
        while True:
            most = max(1, round(ASK_S / self._interval_s))
            for name, topic in list(self._topics.items()):
                for partition, turn in topic.turns.items():
                    node = self._leaders.get((name, partition))
                    if turn.comes(topic.beats) and node is not None:
                        self._enqueue(self._ways[node], (name, partition), turn.sequence, most)
            due = max(due + self._interval_s, time.monotonic() - self._interval_s)
            await asyncio.sleep(max(MIN_INTERVAL_S, due - time.monotonic()))

    @staticmethod
    def _enqueue(way: _BrokerQueue, key: Partition, sequence: int, most: int) -> None:
        value = f"feed {key[1]} {sequence} {now_us()}"
        values = way.waiting.setdefault(key, [])
        values.append(value.encode())
        del values[:-most]
        way.some.set()

    async def _write(self, way: _BrokerQueue) -> None:
        """Write what waits, in one request; then what has come to wait meanwhile."""
        way.idle.set()
        while True:
            await way.some.wait()
            records, way.waiting = way.waiting, {}
            way.some.clear()
            if not records:
                continue
            way.idle.clear()
            try:
                lost = await self._send(way, records)
            except (OSError, EngineError, struct.error, IndexError):  # TimeoutError is an OSError
                way.drop_line()
                lost = list(records)
            way.idle.set()
            for key in lost:
                self._leaders.pop(key, None)
            if lost:
                self._lost.set()

    async def _send(self, way: _BrokerQueue, records: Mapping[Partition, Sequence[bytes]]) -> list[Partition]:
        """Return what the broker refused. EngineError or OSError."""
        async with asyncio.timeout(ASK_S):
            if way.line is None:
                way.line = await dial(way.address)
            body = request(self._version, records, int(time.time() * 1000), int(ASK_S * 1000))
            found = base_offsets(self._version, await way.line.ask(apis.PRODUCE, self._version, body))
        taken = {key: base + len(records[key]) - 1 for key, base in found.items() if base is not None}
        self._written.update(taken)
        return [key for key in found if key not in taken]

    async def _read_metadata(self) -> None:
        """Ask one broker after the other for leaders that are not known."""
        nodes = list(self._ways)
        while True:
            await self._lost.wait()
            missing = [
                (name, partition)
                for name, topic in self._topics.items()
                for partition in topic.turns
                if (name, partition) not in self._leaders
            ]
            if not missing:
                self._lost.clear()
                continue
            nodes.append(nodes.pop(0))
            with contextlib.suppress(OSError, EngineError, struct.error, IndexError):
                await self._learn(self._ways[nodes[0]].address, missing)
            await asyncio.sleep(METADATA_S)

    async def _learn(self, address: Endpoint, missing: Sequence[Partition]) -> None:
        async with asyncio.timeout(ASK_S):
            line = await dial(address)
            try:
                told = await ask.metadata(line, sorted({name for name, _ in missing}), old=self._old)
            finally:
                line.close()
        for key in missing:
            found = told.placements.get(key)
            if found is not None and found.leader in self._ways:
                self._leaders[key] = found.leader
