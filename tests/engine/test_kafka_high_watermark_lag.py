"""A real follower that stands still keeps records from readers: the engine says so, for as long as it does."""

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
FEED_MS, STILL_S = 200, 2.5
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


def test_a_follower_that_stands_still_keeps_records_from_readers_until_it_goes_on() -> None:
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    events, still = asyncio.run(play(engine))
    found = [event for event in events if event.kind is EngineKind.WITHHELD]
    assert found
    assert {(event.topic, event.partition, event.broker) for event in found} == {(TOPIC, 0, LEADER)}
    begin, end = still
    assert all(begin < event.at < end + 2 * high_watermark_lag.MIN_SAMPLE_GAP_US for event in found)
    assert end - begin >= sum(event.value * 1000 for event in found) - 2 * high_watermark_lag.MIN_SAMPLE_GAP_US


async def play(engine: Kafka) -> tuple[Sequence[EngineEvent], tuple[int, int]]:
    """Feed a topic and let a follower stand still for a while; return what is told, and when it stood still."""
    events: list[EngineEvent] = []
    async with engine, engine.cohort(LINE, 1) as (member,):
        cluster = member._cluster
        producer = BackgroundProducer(
            {node: broker.internal for node, broker in cluster.brokers.items()}, cluster.version
        )
        await cluster.admin.create_topic(TOPIC, {0: [LEADER, FOLLOWER, 3], 1: [LEADER, FOLLOWER, 3]})
        producer.start(TOPIC, [0, 1], FEED_MS)
        target = FaultTarget(cluster=cluster, subjects=[SUBJECT], election_ms=0)
        try:
            async with LeadershipMonitor(target, lambda _, event: events.append(event), producer.written).watching():
                await written(producer, 5)
                begin = time.monotonic_ns() // 1000
                cluster.brokers[FOLLOWER].pause()
                await asyncio.sleep(STILL_S)
                cluster.brokers[FOLLOWER].resume()
                end = time.monotonic_ns() // 1000
                await written(producer, producer.written((TOPIC, 0)) + 10)
        finally:
            cluster.brokers[FOLLOWER].resume()
            await producer.close()
            member.leave()
    return events, (begin, end)


async def written(producer: BackgroundProducer, offset: int) -> None:
    """Wait until so many records were taken by the leader."""
    async with asyncio.timeout(30):
        while producer.written((TOPIC, 0)) < offset:  # noqa: ASYNC110  # what is waited for is counted, not told
            await asyncio.sleep(0.05)
