"""A real cluster is restored: internal partitions return to the log dir that no scenario breaks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from probe.catalogue.brokers import real_brokers
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.engines.kafka.admin.partitioner import partition_of
from probe.engines.kafka.cluster.cluster import KafkaCluster
from probe.engines.kafka.cluster.properties import INTERNAL_PARTITIONS
from probe.engines.kafka.engine import Kafka
from probe.engines.kafka.faults.coordinators import found
from probe.engines.kafka.internal_topics import OFFSETS_TOPIC
from probe.engines.kafka.ports import FaultTarget
from probe.model import Subject
from probe.scenarios.steps.coordinators import LoseCoordinator
from probe.toolchain.tools import ToolError
from tests.support.relay_peers import until

pytestmark = pytest.mark.real

LINE, NODE, OLD, PARTITION = "4.3", 1, 2, 1
GROUP = next(name for name in map(str, range(99)) if partition_of(name, INTERNAL_PARTITIONS) == PARTITION)
OTHERS = (2, 3)
GONE_S = 20.0
NOTICED_S = 15.0
"""A broker writes a checkpoint every 5 s. A follower that only lags leaves the ISR after 30 s."""


async def settle(cluster: KafkaCluster) -> None:
    await cluster.settle()


async def find_coordinator(cluster: KafkaCluster) -> None:
    subject = Subject(
        topic="t", affected=0, bystander=1, instance="i", client_id="i", old=OLD, group=GROUP, transactional_id=""
    )
    await found(LoseCoordinator(), FaultTarget(cluster=cluster, subjects=[subject], election_ms=0))
    await cluster.settle()


@pytest.mark.parametrize("give_back", [settle, find_coordinator])
def test_a_returned_internal_partition_is_in_the_second_log_dir(
    give_back: Callable[[KafkaCluster], Awaitable[None]],
) -> None:
    try:
        engine = kafka_engine({LINE: real_brokers()[LINE].version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    lies, in_sync = asyncio.run(move_and(give_back, engine))
    assert lies == ["d1"]
    assert in_sync == OTHERS, "the controller did not know that the partition was in the broken log dir"


async def move_and(
    give_back: Callable[[KafkaCluster], Awaitable[None]], engine: Kafka
) -> tuple[list[str], tuple[int, ...]]:
    """Return the log dirs of the partition after its return, and the ISR after that log dir breaks."""
    key = (OFFSETS_TOPIC, PARTITION)
    async with engine, engine.cohort(LINE, 1) as (member,):
        cluster = member._cluster
        broker = cluster.brokers[NODE]
        await cluster.admin.reassign({key: OTHERS})
        await cluster.admin.settled({key: OTHERS})
        await until(lambda: not where(broker.log_dirs), GONE_S)
        await give_back(cluster)
        lies = where(broker.log_dirs)
        await cluster.disk.break_dir(broker, broker.log_dirs[1])
        in_sync = await remaining_isr(cluster, key)
        member.leave()
    return lies, in_sync


async def remaining_isr(cluster: KafkaCluster, key: tuple[str, int]) -> tuple[int, ...]:
    """Return the ISR once the broker has left it, or after a time that is too short for a removal due to lag."""
    end = time.monotonic() + NOTICED_S
    while True:
        in_sync = (await cluster.admin.placements([OFFSETS_TOPIC]))[key].in_sync
        if NODE not in in_sync or time.monotonic() > end:
            return tuple(sorted(in_sync))
        await asyncio.sleep(0.2)


def where(log_dirs: Sequence[Path]) -> list[str]:
    return [log_dir.name for log_dir in log_dirs if (log_dir / f"{OFFSETS_TOPIC}-{PARTITION}").exists()]
