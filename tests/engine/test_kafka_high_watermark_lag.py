"""A real follower that is paused holds the high watermark back, and the engine reports it for that time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from probe.catalogue.brokers import real_brokers
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.engines.kafka.cohort import high_watermark_lag
from probe.engines.kafka.cohort.background_producer import BackgroundProducer
from probe.engines.kafka.cohort.leadership_monitor import LeadershipMonitor
from probe.engines.kafka.engine import Kafka
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineEvent, EngineKind, Subject
from probe.toolchain.tools import ToolError

pytestmark = pytest.mark.real

LINE, TOPIC = "3.9", "read"
LEADER, FOLLOWER = 1, 2
FEED_MS, PAUSE_S = 200, 2.5
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


def test_a_paused_follower_withholds_records_until_it_resumes() -> None:
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    events, paused = asyncio.run(play(engine))
    found = [event for event in events if event.kind is EngineKind.WITHHELD]
    assert found
    assert {(event.topic, event.partition, event.broker) for event in found} == {(TOPIC, 0, LEADER)}
    begin, end = paused
    assert all(begin < event.at < end + 2 * high_watermark_lag.MIN_SAMPLE_GAP_US for event in found)
    assert end - begin >= sum(event.value * 1000 for event in found) - 2 * high_watermark_lag.MIN_SAMPLE_GAP_US


async def play(engine: Kafka) -> tuple[Sequence[EngineEvent], tuple[int, int]]:
    """Write to a topic and pause a follower; return the events and the time of the pause."""
    events: list[EngineEvent] = []
    async with engine, engine.cohort(LINE, 1) as (member,):
        cluster = member._cluster
        producer = BackgroundProducer(
            {node: broker.internal for node, broker in cluster.brokers.items()}, cluster.version, FEED_MS
        )
        await cluster.admin.create_topic(TOPIC, {0: [LEADER, FOLLOWER, 3], 1: [LEADER, FOLLOWER, 3]})
        producer.start(TOPIC, [0, 1], FEED_MS)
        target = FaultTarget(cluster=cluster, subjects=[SUBJECT], election_ms=0)
        try:
            async with LeadershipMonitor(target, lambda _, event: events.append(event), producer.written).watching():
                await written(producer, 5)
                begin = time.monotonic_ns() // 1000
                cluster.brokers[FOLLOWER].pause()
                await asyncio.sleep(PAUSE_S)
                cluster.brokers[FOLLOWER].resume()
                end = time.monotonic_ns() // 1000
                await written(producer, producer.written((TOPIC, 0)) + 10)
        finally:
            cluster.brokers[FOLLOWER].resume()
            await producer.close()
            member.leave()
    return events, (begin, end)


async def written(producer: BackgroundProducer, offset: int) -> None:
    """Wait until the leader has acknowledged records up to an offset."""
    async with asyncio.timeout(30):
        while producer.written((TOPIC, 0)) < offset:  # noqa: ASYNC110  # counters are polled, there is no event
            await asyncio.sleep(0.05)
