"""Producers with many partitions: all of them are written to at the interval, by few threads."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from probe.catalogue.families import read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.engines.embedded.rpc import cluster_pb2
from tests.contract.test_drivers import CLIENTS
from tests.support.driver_host import Driver, driving
from tests.support.fake_brokers import brokers

pytestmark = pytest.mark.real
MANY, FEW = 60, 4
RECORDS = 3
NAMES = {MANY: "many", FEW: "few"}


def threads(driver: Driver) -> int:
    assert driver.process is not None
    return len(list(Path(f"/proc/{driver.process.pid}/task").iterdir()))


async def play(family_name: str, partitions: int) -> tuple[Counter[int], int]:
    """Return the records that were acknowledged, by partition, and the threads that this instance added."""
    family = read_families(CLIENTS)[family_name]
    version = family.find(family.core[0])
    assert version is not None
    launch = await asyncio.to_thread(provision, family, version)
    name = NAMES[partitions]
    async with brokers() as cluster, driving(launch) as driver:
        leaders = [cluster_pb2.Assignment(leader=1 + number % 3, replicas=[1, 2, 3]) for number in range(partitions)]
        await cluster.stub.CreateTopic(cluster_pb2.CreateTopicRequest(topic=name, partitions=leaders))
        before = threads(driver)
        driver.start(
            instance=name,
            client_id=name,
            role="producer",
            profile="isolated",
            bootstrap=cluster.bootstrap,
            topic=name,
            partitions=range(partitions),
            interval_ms=200,
            max_in_flight=5,
            bystander=-1,
        )

        def acknowledged() -> Counter[int]:
            return Counter(event.partition for event in driver.of(name, pb.ACKED))

        await driver.until(lambda: sum(n >= RECORDS for n in acknowledged().values()) == partitions)
        more = threads(driver) - before
        await driver.stop(name, 5000)
        assert not driver.of(name, pb.SEND_ERROR)
        return acknowledged(), more


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted where Linux lists them")
@pytest.mark.parametrize("family_name", ["java", "kafka-python", "librdkafka"])
def test_many_partitions_take_no_thread_each(family_name: str) -> None:
    found, more = asyncio.run(play(family_name, MANY))
    assert more < MANY // 2
    assert max(found.values()) - min(found.values()) <= RECORDS, "no partition is behind the others"


def test_a_few_partitions_have_a_thread_each() -> None:
    """A blocked call for one must not delay the others: trials of the matrix have two."""
    _, more = asyncio.run(play("kafka-python", FEW))
    assert more >= FEW
