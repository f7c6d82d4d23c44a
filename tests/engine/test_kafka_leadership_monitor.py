"""The requests of the leadership monitor, and their rate: they take time that brokers need for clients."""

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
from tests.support import virtual_time

OLD, NEW = 1, 2
CELLS = 12


@dataclass
class Brokers:
    """Brokers that agree on leader and coordinator, and count the requests that they get."""

    leader: int = OLD
    coordinator: int = OLD
    serves: bool = True
    readable: int = 0
    """The high watermark of all partitions."""
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


def run_monitor(
    monkeypatch: pytest.MonkeyPatch,
    brokers: Brokers,
    one: FaultTarget,
    play: Any,
    kept: list[tuple[str, EngineEvent]] | None = None,
    written: Callable[[tuple[str, int]], int] = lambda _: -1,
) -> list[tuple[str, EngineEvent]]:
    emitted = [] if kept is None else kept

    async def dial(_: str) -> Any:
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr(leadership_monitor, "dial", dial)
    monkeypatch.setattr(leadership_monitor.ask, "metadata", brokers.metadata)
    monkeypatch.setattr(leadership_monitor.ask, "coordinator", brokers.find)
    monkeypatch.setattr(leadership_monitor.ask, "high_watermarks", brokers.high_watermarks)

    async def run() -> None:
        watching = leadership_monitor.LeadershipMonitor(
            one, lambda subject, event: emitted.append((subject.topic, event)), written
        ).watching()
        async with watching:
            await play()

    virtual_time.run(run())
    return emitted


def test_keys_of_one_internal_partition_share_one_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"group-{n}" for n in range(500)]
    together = [name for name in names if partition_of(name, INTERNAL_PARTITIONS) == 0][:CELLS]
    other = next(name for name in names if partition_of(name, INTERNAL_PARTITIONS) == 1)
    brokers = Brokers()

    async def play() -> None:
        brokers.coordinator = NEW
        await asyncio.sleep(0.3)

    emitted = run_monitor(monkeypatch, brokers, scene([*together, other]), play)
    assert len(brokers.keys) == 2
    moved = [event.key for _, event in emitted if event.kind is EngineKind.MOVED and event.key]
    assert sorted(moved) == sorted([*together, other])


def test_all_topics_are_requested_only_while_they_move(monkeypatch: pytest.MonkeyPatch) -> None:
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

    emitted = run_monitor(monkeypatch, brokers, scene([""] * CELLS), play)
    assert set(calm) <= {leadership_monitor.FEW, CELLS}
    assert calm.count(leadership_monitor.FEW) > 3 * calm.count(CELLS)
    assert {topic for topic, event in emitted if event.kind is EngineKind.MOVED} == {f"t{n}" for n in range(CELLS)}
    assert {topic for topic, event in emitted if event.kind is EngineKind.ANNOUNCED} == {f"t{n}" for n in range(CELLS)}


def test_a_leader_is_announced_when_all_name_it_and_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers(serves=False)
    before: list[EngineKind] = []

    async def play() -> None:
        brokers.leader = NEW
        await asyncio.sleep(0.4)
        before.extend(event.kind for _, event in emitted)
        brokers.serves = True
        await asyncio.sleep(0.4)

    emitted: list[tuple[str, EngineEvent]] = []
    run_monitor(monkeypatch, brokers, scene([""]), play, emitted)
    assert before == [EngineKind.MOVED]
    assert [event.kind for _, event in emitted] == [EngineKind.MOVED, EngineKind.ANNOUNCED]


def test_a_long_missing_leader_is_requested_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
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

    emitted = run_monitor(monkeypatch, brokers, scene([""]), play)
    nodes = 3
    assert len(late) <= nodes * (0.6 / leadership_monitor.SLOW_S + 1)
    assert EngineKind.ANNOUNCED in {event.kind for _, event in emitted}


def test_unreadable_records_are_reported_until_they_are_readable(
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

    emitted = run_monitor(
        monkeypatch, brokers, scene(["", ""]), play, written=lambda key: 3 if key == ("t0", 0) else -1
    )
    found = [(topic, event) for topic, event in emitted if event.kind is EngineKind.WITHHELD]
    assert {(topic, event.topic, event.partition, event.broker) for topic, event in found} == {("t0", "t0", 0, OLD)}
    assert 200 <= sum(event.value for _, event in found) <= 1000
    assert max(event.at for _, event in found) <= until[0] + 50_000


def test_brokers_out_of_service_are_not_asked_for_coordinators(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would make internal topics that are missing, with leaders of their own choice."""
    brokers, one = Brokers(), scene(["g"])
    one.unhealthy.update((1, 2, 3))

    async def play() -> None:
        await asyncio.sleep(0.1)

    run_monitor(monkeypatch, brokers, one, play)
    assert brokers.topics
    assert not brokers.keys


def test_many_partitions_are_requested_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers()

    async def play() -> None:
        brokers.topics.clear()
        await asyncio.sleep(0.5)

    run_monitor(monkeypatch, brokers, scene([""] * 3 * leadership_monitor.MANY), play)
    assert len(brokers.topics) <= 3 * (0.5 / (3 * leadership_monitor.QUICK_S) + 1)
