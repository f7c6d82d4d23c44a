"""A real follower that is paused holds the high watermark back, and the engine reports it for that time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest

from probe.catalogue.brokers import real_brokers
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.engines.kafka.admin.requests import Partition
from probe.engines.kafka.cohort.background_producer import BackgroundProducer
from probe.engines.kafka.cohort.high_watermark_lag import HighWatermarkLag, Written
from probe.engines.kafka.cohort.leadership_monitor import LeadershipMonitor
from probe.engines.kafka.engine import Kafka
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineEvent, EngineKind, Subject
from probe.model.clock import now_us
from probe.toolchain.tools import ToolError

pytestmark = pytest.mark.real

LINE, TOPIC = "3.9", "read"
LEADER, FOLLOWER = 1, 2
FEED_MS = 200
WITHHELD = 3
"""Samples with withheld records for which the follower is paused: two of them follow another one."""
LONGEST_S = 120
"""Deadline of whatever is awaited. Nothing is asked of the machine's speed."""
SUBJECT = Subject(
    topic=TOPIC,
    affected=0,
    bystander=1,
    instance="i",
    client_id="i",
    old=LEADER,
    group="",
    transactional_id="",
)


@dataclass(frozen=True)
class Sample:
    """One comparison of a high watermark with the records that were written before."""

    at: int
    withheld_ms: int
    """0 if all records could be read that were written by the previous sample."""


class Sampled(HighWatermarkLag):
    """Notes every sample of the affected partition, also those without withheld records."""

    def __init__(self, written: Written) -> None:
        super().__init__(written)
        self.samples: list[Sample] = []

    def check(self, high_watermarks: Mapping[Partition, int], at_us: int) -> Iterator[tuple[Partition, int]]:
        found = dict(super().check(high_watermarks, at_us))
        if (TOPIC, 0) in high_watermarks:
            self.samples.append(Sample(at_us, found.get((TOPIC, 0), 0)))
        return iter(found.items())

    async def until(self, done: Callable[[Sequence[Sample]], bool]) -> None:
        """Wait until the samples taken from now on satisfy a condition."""
        known = len(self.samples)
        async with asyncio.timeout(LONGEST_S):
            while not done(self.samples[known:]):  # noqa: ASYNC110  # samples are polled, there is no event
                await asyncio.sleep(0.05)


@dataclass(frozen=True)
class Pause:
    """A follower's pause, with what came before and after it."""

    events: Sequence[EngineEvent]
    samples: Sequence[Sample]
    paused: int
    """Time of its begin, in microseconds."""
    resumed: int


def readable(samples: Sequence[Sample]) -> bool:
    return bool(samples) and not samples[-1].withheld_ms


def held_back(samples: Sequence[Sample]) -> bool:
    return sum(1 for one in samples if one.withheld_ms) >= WITHHELD


def test_a_paused_follower_withholds_records_until_it_resumes() -> None:
    """All records can be read before the pause and after it; in it, from the first one that cannot be read on, none."""
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    seen = asyncio.run(play(engine))
    found = [event for event in seen.events if event.kind is EngineKind.WITHHELD]
    assert {(event.topic, event.partition, event.broker) for event in found} == {(TOPIC, 0, LEADER)}
    assert [event.value for event in found] == [one.withheld_ms for one in seen.samples if one.withheld_ms]
    before = [one for one in seen.samples if one.at < seen.paused]
    during = [one for one in seen.samples if seen.paused <= one.at < seen.resumed]
    assert readable(before)
    first = next(number for number, one in enumerate(during) if one.withheld_ms)
    assert all(one.withheld_ms for one in during[first:])
    assert readable(seen.samples)
    gaps = [later.at - sooner.at for sooner, later in pairwise([before[-1], *during])]
    assert [gap // 1000 for gap in gaps[first:]] == [one.withheld_ms for one in during[first:]]


async def play(engine: Kafka) -> Pause:
    """Write to a topic, and pause a follower until records have been withheld for some samples."""
    events: list[EngineEvent] = []
    async with engine, engine.cohort(LINE, 1) as (member,):
        cluster = member._cluster
        producer = BackgroundProducer(
            {node: broker.internal for node, broker in cluster.brokers.items()}, cluster.version, FEED_MS
        )
        await cluster.admin.create_topic(TOPIC, {0: [LEADER, FOLLOWER, 3], 1: [LEADER, FOLLOWER, 3]})
        producer.start(TOPIC, [0, 1], FEED_MS)
        target = FaultTarget(cluster=cluster, subjects=[SUBJECT], election_ms=0)
        monitor = LeadershipMonitor(target, lambda _, event: events.append(event), producer.written)
        monitor._lag = sampled = Sampled(producer.written)
        try:
            async with monitor.watching():
                await sampled.until(lambda samples: len(samples) > 1 and readable(samples))
                paused = now_us()
                cluster.brokers[FOLLOWER].pause()
                await sampled.until(held_back)
                resumed = now_us()
                cluster.brokers[FOLLOWER].resume()
                await sampled.until(readable)
                seen = Pause(tuple(events), tuple(sampled.samples), paused, resumed)
        finally:
            cluster.brokers[FOLLOWER].resume()
            await producer.close()
            member.leave()
    return seen
