"""What the engine asks brokers, and how often: their time is the clients', too."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from probe.engines.kafka.admin.partitioner import partition_of
from probe.engines.kafka.admin.requests import Metadata
from probe.engines.kafka.cluster.properties import INTERNAL_PARTITIONS
from probe.engines.kafka.cohort import high_watermark_lag, leadership_monitor
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.model import EngineEvent, EngineKind, Subject

OLD, NEW = 1, 2
CELLS = 12


@dataclass
class Brokers:
    """All say the same: who leads, who coordinates; what they were asked is counted."""

    leader: int = OLD
    coordinator: int = OLD
    serves: bool = True
    readable: int = 0
    """Up to where all partitions can be read."""
    topics: list[int] = field(default_factory=list)
    keys: Counter[tuple[int, str]] = field(default_factory=Counter)

    async def metadata(self, _: Any, topics: list[str], *, old: bool) -> Metadata:
        assert not old
        self.topics.append(len(topics))
        return Metadata({}, 1, {(topic, 0): Placement(self.leader, (1, 2, 3), (1, 2, 3)) for topic in topics})

    async def high_watermarks(self, _: Any, partitions: list[tuple[str, int]]) -> dict[tuple[str, int], int]:
        return dict.fromkeys(partitions, self.readable) if self.serves else {}

    async def find(self, _: Any, kind: int, key: str) -> int:
        self.keys[kind, key] += 1
        return self.coordinator


def scene(groups: list[str]) -> FaultTarget:
    subjects = [
        Subject(
            topic=f"t{n}",
            affected=0,
            bystander=1,
            instance=f"i{n}",
            client_id=f"i{n}",
            old=OLD,
            group=group,
            transactional_id="",
        )
        for n, group in enumerate(groups)
    ]
    nodes = {n: SimpleNamespace(node=n, internal="", pid=1, paused=False) for n in (1, 2, 3)}
    cluster: Any = SimpleNamespace(brokers=nodes, version="3.9.2")
    return FaultTarget(cluster=cluster, subjects=subjects, election_ms=0)


def watch(
    monkeypatch: pytest.MonkeyPatch,
    brokers: Brokers,
    one: FaultTarget,
    play: Any,
    kept: list[tuple[str, EngineEvent]] | None = None,
    written: Callable[[tuple[str, int]], int] = lambda _: -1,
) -> list[tuple[str, EngineEvent]]:
    told = [] if kept is None else kept

    async def dial(_: str) -> Any:
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr(leadership_monitor, "dial", dial)
    monkeypatch.setattr(leadership_monitor.ask, "metadata", brokers.metadata)
    monkeypatch.setattr(leadership_monitor.ask, "coordinator", brokers.find)
    monkeypatch.setattr(leadership_monitor.ask, "high_watermarks", brokers.high_watermarks)

    async def run() -> None:
        watching = leadership_monitor.LeadershipMonitor(
            one, lambda subject, event: told.append((subject.topic, event)), written
        ).watching()
        async with watching:
            await play()

    asyncio.run(run())
    return told


def test_keys_of_one_internal_partition_are_asked_for_by_one_of_them_and_all_of_them_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"group-{n}" for n in range(500)]
    alike = [name for name in names if partition_of(name, INTERNAL_PARTITIONS) == 0][:CELLS]
    other = next(name for name in names if partition_of(name, INTERNAL_PARTITIONS) == 1)
    brokers = Brokers()

    async def play() -> None:
        brokers.coordinator = NEW
        await asyncio.sleep(0.3)

    told = watch(monkeypatch, brokers, scene([*alike, other]), play)
    assert len(brokers.keys) == 2
    moved = [event.key for _, event in told if event.kind is EngineKind.MOVED and event.key]
    assert sorted(moved) == sorted([*alike, other])


def test_all_topics_are_asked_for_while_they_move_and_else_mostly_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership_monitor, "SOON_S", 0.2)
    brokers = Brokers()
    calm: list[int] = []

    async def play() -> None:
        await asyncio.sleep(0.3)
        brokers.topics.clear()
        await asyncio.sleep(0.8)
        calm.extend(brokers.topics)
        brokers.leader = NEW
        await asyncio.sleep(0.4)

    told = watch(monkeypatch, brokers, scene([""] * CELLS), play)
    assert set(calm) <= {leadership_monitor.FEW, CELLS}
    assert calm.count(leadership_monitor.FEW) > 3 * calm.count(CELLS)
    assert {topic for topic, event in told if event.kind is EngineKind.MOVED} == {f"t{n}" for n in range(CELLS)}
    assert {topic for topic, event in told if event.kind is EngineKind.ANNOUNCED} == {f"t{n}" for n in range(CELLS)}


def test_a_leader_that_all_name_is_announced_once_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers(serves=False)
    before: list[EngineKind] = []

    async def play() -> None:
        brokers.leader = NEW
        await asyncio.sleep(0.4)
        before.extend(event.kind for _, event in told)
        brokers.serves = True
        await asyncio.sleep(0.4)

    told: list[tuple[str, EngineEvent]] = []
    watch(monkeypatch, brokers, scene([""]), play, told)
    assert before == [EngineKind.MOVED]
    assert [event.kind for _, event in told] == [EngineKind.MOVED, EngineKind.ANNOUNCED]


def test_what_is_missing_for_long_is_asked_about_alone_and_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership_monitor, "SOON_S", 0.3)
    monkeypatch.setattr(leadership_monitor, "BATCH_S", 0.3)
    monkeypatch.setattr(leadership_monitor, "PATIENT_POLLS", 5)
    brokers = Brokers(serves=False)
    late: list[int] = []

    async def play() -> None:
        brokers.leader = NEW
        await asyncio.sleep(0.8)
        brokers.topics.clear()
        await asyncio.sleep(0.6)
        late.extend(brokers.topics)
        brokers.serves = True
        await asyncio.sleep(0.4)

    told = watch(monkeypatch, brokers, scene([""]), play)
    nodes = 3
    assert len(late) <= nodes * (0.6 / leadership_monitor.SLOW_S + 1)
    assert EngineKind.ANNOUNCED in {event.kind for _, event in told}


def test_records_that_were_written_and_cannot_be_read_are_told_of_until_they_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(high_watermark_lag, "MIN_SAMPLE_GAP_US", 50_000)
    brokers = Brokers(readable=3)
    until: list[int] = []

    async def play() -> None:
        await asyncio.sleep(0.5)
        until.append(time.monotonic_ns() // 1000)
        brokers.readable = 4
        await asyncio.sleep(0.5)

    told = watch(monkeypatch, brokers, scene(["", ""]), play, written=lambda key: 3 if key == ("t0", 0) else -1)
    found = [(topic, event) for topic, event in told if event.kind is EngineKind.WITHHELD]
    assert {(topic, event.topic, event.partition, event.broker) for topic, event in found} == {("t0", "t0", 0, OLD)}
    assert 200 <= sum(event.value for _, event in found) <= 1000
    assert max(event.at for _, event in found) <= until[0] + 50_000
