"""A real cluster as it began: internal partitions that went to other brokers come back to where no disk breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from relay_peers import until

from probe.catalogue.brokers import real_brokers
from probe.cli.real import kafka_engine
from probe.engines.deeds.coordinators import found
from probe.engines.kafka import Kafka
from probe.engines.kafka.cluster import KafkaCluster
from probe.engines.kafka.properties import INTERNAL_PARTITIONS
from probe.engines.kafka_ports import OFFSETS_TOPIC, Scene
from probe.engines.keys import partition_of
from probe.model import Subject
from probe.scenarios.steps import LoseCoordinator
from probe.tools import ToolError

pytestmark = pytest.mark.real

LINE, NODE, OLD, PARTITION = "4.3", 1, 2, 1
GROUP = next(name for name in map(str, range(99)) if partition_of(name, INTERNAL_PARTITIONS) == PARTITION)
GONE_S = 20.0


async def settle(cluster: KafkaCluster) -> None:
    await cluster.settle()


async def find_coordinator(cluster: KafkaCluster) -> None:
    subject = Subject(
        topic="t", affected=0, bystander=1, instance="i", client_id="i", old=OLD, group=GROUP, transactional_id=""
    )
    await found(LoseCoordinator(), Scene(cluster=cluster, subjects=[subject], election_ms=0))
    await cluster.in_sync([OFFSETS_TOPIC])


@pytest.mark.parametrize("give_back", [settle, find_coordinator])
def test_an_internal_partition_that_comes_back_lies_where_bystanders_do(
    give_back: Callable[[KafkaCluster], Awaitable[None]],
) -> None:
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    assert asyncio.run(move_and(give_back, engine)) == ["d1"]


async def move_and(give_back: Callable[[KafkaCluster], Awaitable[None]], engine: Kafka) -> list[str]:
    """Return in which log dirs of the broker the partition lies after it was moved away and given back."""
    async with engine, engine.cohort(LINE, 1) as (seat,):
        cluster = seat._cluster
        log_dirs = cluster.brokers[NODE].log_dirs
        others = sorted(cluster.brokers.keys() - {NODE})
        await cluster.admin.reassign({(OFFSETS_TOPIC, PARTITION): others})
        await cluster.admin.settled({(OFFSETS_TOPIC, PARTITION): others})
        await until(lambda: not where(log_dirs), GONE_S)
        await give_back(cluster)
        lies = where(log_dirs)
        seat.leave()
    return lies


def where(log_dirs: Sequence[Path]) -> list[str]:
    return [log_dir.name for log_dir in log_dirs if (log_dir / f"{OFFSETS_TOPIC}-{PARTITION}").exists()]
