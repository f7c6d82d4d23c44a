"""The leadership monitor: asks every healthy broker, past the relay, who leads and coordinates the affected objects.

Source of the engine's truth on real brokers (docs/engines.md#engines-truth-on-real-brokers).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.partitioner import partition_of
from probe.engines.kafka.admin.wire import Line, dial
from probe.engines.kafka.cluster.properties import INTERNAL_PARTITIONS
from probe.engines.kafka.cohort.high_watermark_lag import HighWatermarkLag, Written
from probe.engines.kafka.ports import BrokerProcess, FaultTarget
from probe.errors import EngineError
from probe.model import EngineEvent, EngineKind, Subject
from probe.model.clock import now_us
from probe.model.release_lines import Since, has
from probe.protocol.api_table import CoordinatorKind

QUICK_S, SLOW_S, SETTLED_S = 0.03, 0.1, 0.5
"""Intervals between two polls: while something moves; otherwise; after all moves. Polls cost the brokers time."""
MANY = 80
"""Number of partitions and keys from which polls become rarer, down to `SLOW_S`: each names all of them."""
PATIENT_POLLS = 50
"""A late move is observed with a delay of at most this fraction of the time it took, and at most `SETTLED_S`."""
FEW, WHOLE_EACH = 4, 10
"""Number of topics in a usual poll, and number of polls per poll of all topics: one fault moves them together."""
FIRST_S = 2.0
"""Time for which the first answers of all brokers are awaited before the fault."""
SOON_S = 3.0
"""Time within which quick moves happen; after as long without news, polls become rarer."""
BATCH_S = 1.0
"""Time after a move for which all topics are polled; later only those that not all brokers report as moved."""
ASK_S = 2.0

WatchedKey = tuple[str, int] | tuple[int, str]
"""A partition (topic, number), or a key (type, name)."""
Kind = TypeVar("Kind", tuple[str, int], tuple[int, str])
Emit = Callable[[Subject, EngineEvent], None]


@dataclass
class WatchedSubject:
    """One affected partition or key of one member."""

    subject: Subject
    terms: int
    """The broker that leads or coordinates it, as far as known."""
    asked: bool = False
    """Leaders of this version answer ListOffsets version 1."""
    announced: bool = True
    serves: bool = True
    """The present leader has reported the latest offset."""
    views: dict[int, int] = field(default_factory=dict)
    """Last reported leader or coordinator, by broker."""

    def learn(self, node: int, target: int, healthy: Sequence[int]) -> Iterator[EngineKind]:
        """Take a broker's report; yield MOVED for a move, and ANNOUNCED when all healthy brokers report it.

        Metadata names a new leader before it serves: until its followers have caught up, it acknowledges no records
        and lets no consumer read. With many partitions this takes seconds, so the leader itself is asked, too.
        """
        before = self.views.get(node, self.subject.old)  # a broker that has not reported yet is late, not wrong
        self.views[node] = target
        if target > 0 and target not in {before, self.terms}:
            self.terms, self.announced, self.serves = target, False, not self.asked
            yield EngineKind.MOVED
        reported = [self.views.get(one) for one in healthy]
        if not self.announced and self.serves and reported and all(one == self.terms for one in reported):
            self.announced = True
            yield EngineKind.ANNOUNCED


class LeadershipMonitor:
    """Observes the moves of leaders and coordinators under one fault."""

    def __init__(self, scene: FaultTarget, tell: Emit, written: Written = lambda _: -1) -> None:
        """Create the monitor of a fault target; `tell` takes its events, `written` returns the last written offset."""
        self._target, self._emit, self._lag = scene, tell, HighWatermarkLag(written)
        self._begun = self._new_at = time.monotonic()
        self._answered: set[int] = set()
        self._all_answered = asyncio.Event()
        asked = has(scene.cluster.version, Since.LATEST_OFFSET)
        self._partitions = {(one.topic, one.affected): WatchedSubject(one, one.old, asked) for one in scene.subjects}
        self._keys: dict[tuple[int, str], WatchedSubject] = {
            (kind, key): WatchedSubject(one, one.old)
            for one in scene.subjects
            for kind, key in ((CoordinatorKind.GROUP, one.group), (CoordinatorKind.TRANSACTION, one.transactional_id))
            if key
        }

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Poll all brokers until the context ends."""
        brokers = self._target.cluster.brokers.values()
        tasks = [asyncio.create_task(self._ask(broker)) for broker in brokers]
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(FIRST_S):
                    await self._all_answered.wait()
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, broker: BrokerProcess) -> None:
        while True:
            line: Line | None = None
            with contextlib.suppress(OSError, EngineError):  # a broker that is down or late is asked again
                async with asyncio.timeout(ASK_S):
                    line = await dial(broker.internal)
                try:
                    await self._keep_asking(broker.node, line)
                finally:
                    line.close()
            await asyncio.sleep(SLOW_S)

    async def _keep_asking(self, node: int, line: Line) -> None:
        topics = sorted({topic for topic, _ in self._partitions})
        for turn in itertools.count():
            whole = turn % WHOLE_EACH == 0 or self._soon() or (self._moving() and self._quiet_s() < BATCH_S)
            async with asyncio.timeout(ASK_S):
                asked = topics if whole else sorted({*topics[:FEW], *self._missing()})
                answer = await ask.metadata(line, asked, old=ask.is_old(self._target.cluster.version))
                keys = {} if node in self._target.unhealthy else await self._coordinators(line)
                await self._ask_high_watermarks(node, line)
            leaders = {key: one.leader for key, one in answer.placements.items() if key in self._partitions}
            self._learn(node, self._partitions, leaders)
            self._learn(node, self._keys, keys)
            self._answered.add(node)
            if len(self._answered) == len(self._target.cluster.brokers):
                self._all_answered.set()
            await asyncio.sleep(self._pause_s())

    async def _ask_high_watermarks(self, node: int, line: Line) -> None:
        """Ask a leader whether it serves its partitions, and for their high watermarks."""
        now = now_us()
        led = [key for key, one in self._partitions.items() if one.terms == node and one.asked]
        due = [key for key in led if not self._partitions[key].serves or self._lag.due(key, now)]
        found = await ask.high_watermarks(line, due) if due else {}
        for key in found:
            self._partitions[key].serves = self._partitions[key].terms == node
        for key, kept_ms in self._lag.check(found, now_us()):
            text = f"records written to partition {key[1]} could not be read for {kept_ms} ms"
            event = replace(_event(EngineKind.WITHHELD, key, node), value=kept_ms, text=text)
            self._emit(self._partitions[key].subject, event)

    async def _coordinators(self, line: Line) -> Mapping[tuple[int, str], int]:
        """Ask once per internal partition, whose leader coordinates all its keys.

        A broker that is asked makes missing internal topics, and those of another cluster are the engine's to make.
        """
        found: dict[tuple[int, int], int] = {}
        for kind, key in self._keys:
            place = kind, partition_of(key, INTERNAL_PARTITIONS)
            if place not in found:
                found[place] = await ask.coordinator(line, kind, key)
        return {(kind, key): found[kind, partition_of(key, INTERNAL_PARTITIONS)] for kind, key in self._keys}

    def _learn(self, node: int, watched: Mapping[Kind, WatchedSubject], reported: Mapping[Kind, int]) -> None:
        healthy = [
            one.node
            for one in self._target.cluster.brokers.values()
            if one.pid is not None and not one.paused and one.node not in self._target.unhealthy
        ]
        if node not in healthy:
            return
        for thing, target in reported.items():
            for kind in watched[thing].learn(node, target, healthy):
                self._new_at = time.monotonic()
                self._emit(watched[thing].subject, _event(kind, thing, target))

    def _pause_s(self) -> float:
        if self._moving():
            quiet_s = self._quiet_s()
            quick_s = min(SLOW_S, QUICK_S * max(1.0, len(self._everything) / MANY))
            return quick_s if quiet_s < SOON_S else max(quick_s, min(SLOW_S, quiet_s / PATIENT_POLLS))
        settled = all(one.announced and one.terms != one.subject.old for one in self._everything)
        waited_s = time.monotonic() - self._begun
        return SETTLED_S if settled else min(SETTLED_S, max(SLOW_S, waited_s / PATIENT_POLLS))

    @property
    def _everything(self) -> Sequence[WatchedSubject]:
        return [*self._partitions.values(), *self._keys.values()]

    def _quiet_s(self) -> float:
        """Return the time since the last news, in seconds."""
        return time.monotonic() - self._new_at

    def _missing(self) -> Iterator[str]:
        """Yield the topics whose moves not all brokers report yet."""
        return (topic for (topic, _), one in self._partitions.items() if not one.announced)

    def _moving(self) -> bool:
        return self._soon() or not all(one.announced for one in self._everything)

    def _soon(self) -> bool:
        early = time.monotonic() < self._begun + SOON_S
        return early and any(one.terms == one.subject.old for one in self._everything)


def _event(kind: EngineKind, thing: WatchedKey, target: int) -> EngineEvent:
    first, second = thing
    at = now_us()
    if isinstance(first, str):
        assert isinstance(second, int)
        return EngineEvent(at=at, kind=kind, broker=target, topic=first, partition=second, value=-1)
    return EngineEvent(at=at, kind=kind, broker=target, key=str(second), value=-1)
