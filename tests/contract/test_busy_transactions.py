"""A transaction stays open while its application is busy (proto/driver.proto, Handle), every driver with the role."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from probe.catalogue.families import Family, Version
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.model import Role
from tests.contract.test_drivers import every_driver
from tests.support.driver_host import driving
from tests.support.fake_brokers import brokers
from tests.support.shared_runs import result_of, run_once

pytestmark = pytest.mark.real
ME, BUSY_MS, INTERVAL_MS, DEADLINE_MS = "busy", 1500, 100, 5000


async def _run(family: Family, version: Version) -> list[pb.Event]:
    launch = await asyncio.to_thread(provision, family, version)
    async with brokers() as cluster, driving(launch) as driver:
        await cluster.topic(ME)
        driver.start(
            instance=ME,
            client_id=ME,
            role=Role.TRANSACTIONAL,
            profile="isolated",
            bootstrap=cluster.bootstrap,
            topic=ME,
            partitions=[0, 1],
            transactional_id=ME,
            interval_ms=INTERVAL_MS,
            max_in_flight=1,
            broker="3.9",
        )
        await driver.until(lambda: driver.of(ME, pb.TXN_COMMITTED))
        driver.handle(ME, BUSY_MS)
        before = len(driver.of(ME, pb.TXN_COMMITTED))
        await driver.until(lambda: len(driver.of(ME, pb.TXN_COMMITTED)) >= before + 4)
        await driver.stop(ME, DEADLINE_MS)
        return driver.of(ME, pb.TXN_BEGUN, pb.TXN_COMMITTED, pb.TXN_ERROR)


@every_driver
def test_a_transaction_stays_open_once_while_its_application_is_busy(family: Family, version: Version) -> None:
    span = family.roles.get(Role.TRANSACTIONAL)
    if span is None or not span.covers(version.version):
        pytest.skip(f"{family.family} {version.version} has no role transactional")
    events = result_of(run_once(_run(family, version)))
    assert not [event for event in events if event.kind == pb.TXN_ERROR]
    spans = [two.clock_us - one.clock_us for one, two in itertools.pairwise(events) if one.sequence == two.sequence]
    busy = [each for each in spans if each >= 0.9 * BUSY_MS * 1000]
    assert len(busy) == 1
