"""A real cluster throttles a client beyond its quota, gives its addresses to another cluster and takes them back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from probe.catalogue.brokers import real_brokers
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.engines.kafka.admin.wire import CLIENT, Writer, line_to
from probe.engines.kafka.cluster import data_folders
from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.errors import EngineError
from probe.protocol import apis
from probe.toolchain.tools import ToolError

LINE = "4.4"
TOPIC, OTHER = "kept", "new"
PLACES = {0: (1, 2, 3), 1: (2, 3, 1)}
ASKED = 100
WINDOW_MS = 1000
"""Kafka's default of quota.window.size.seconds."""


def on_a_cluster(story: Callable[[KafkaCluster], Awaitable[None]]) -> None:
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))

    async def played() -> None:
        async with engine, engine.cohort(LINE, 1) as (member,):
            await story(member._cluster)
            member.leave()

    asyncio.run(played())


async def throttle_ms(cluster: KafkaCluster, *, wanted: int) -> int:
    """Ask until the answer has this throttle time, as brokers learn of a quota a little later; return the last one."""
    for _ in range(ASKED):
        async with line_to(cluster.brokers[1].internal, 10.0) as line:
            answer = await line.ask(apis.FIND_COORDINATOR, 1, Writer().string("g").pack("b", 0))
        if (found := answer.number("i")) == wanted:
            break
        await asyncio.sleep(0.1)
    return found


@pytest.mark.real
def test_a_client_beyond_its_percentage_waits_for_a_window_until_the_quota_is_removed() -> None:
    async def story(cluster: KafkaCluster) -> None:
        assert not await throttle_ms(cluster, wanted=0)
        await cluster.admin.set_quota([CLIENT], "request_percentage", 0.00001)
        assert await throttle_ms(cluster, wanted=WINDOW_MS) == WINDOW_MS
        await cluster.admin.set_quota([CLIENT], "request_percentage", None)
        assert not await throttle_ms(cluster, wanted=0)
        with pytest.raises(EngineError, match="producer_byte_rat"):
            await cluster.admin.set_quota([CLIENT], "producer_byte_rat", 1)

    on_a_cluster(story)


@pytest.mark.real
def test_another_cluster_has_other_topics_and_the_former_one_comes_back_with_its_own() -> None:
    async def story(cluster: KafkaCluster) -> None:
        await cluster.admin.create_topics({TOPIC: PLACES})
        await cluster.replace({OTHER: PLACES}, (0, 1))
        seen = await cluster.admin.placements([TOPIC, OTHER])
        assert {topic for topic, _ in seen} == {OTHER}
        assert {number: seen[OTHER, number].replicas for number in PLACES} == PLACES
        await cluster.restore()
        await cluster.in_sync([TOPIC])
        assert {topic for topic, _ in await cluster.admin.placements([TOPIC, OTHER])} == {TOPIC}

    on_a_cluster(story)


def test_data_that_were_put_aside_come_back_in_place_of_newer_ones(tmp_path: Path) -> None:
    data_folders.make_broker(tmp_path, "first", 1, kraft=True)
    (tmp_path / "d0" / "log").write_text("first")
    data_folders.put_aside(tmp_path)
    assert not any((tmp_path / name).exists() for name in (*data_folders.LOG_DIRS, data_folders.META))
    data_folders.make_broker(tmp_path, "second", 1, kraft=True)
    assert "cluster.id=second" in (tmp_path / "meta" / "meta.properties").read_text()
    for _ in range(2):  # the second time there is nothing to take back
        data_folders.take_back(tmp_path)
        assert (tmp_path / "d0" / "log").read_text() == "first"
        assert "cluster.id=first" in (tmp_path / "meta" / "meta.properties").read_text()
