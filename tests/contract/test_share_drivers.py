"""Promises of drivers in the role share (proto/driver.proto), tested against a fake cluster that has share groups."""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from collections.abc import Iterator

import pytest

from probe.catalogue.families import Family, read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.engines.embedded.rpc import cluster_pb2
from probe.model import Role
from tests.contract.test_drivers import CLIENTS
from tests.support.driver_host import Driver, driving
from tests.support.fake_brokers import Brokers, brokers
from tests.support.shared_runs import result_of, run_once

pytestmark = pytest.mark.real
LINE = "4.4"
ENOUGH = 10
"""Confirmed acceptances of a partition after which an instance is closed."""
INTERVAL_MS, DEADLINE_MS = 50, 5000
MODE = "share.acknowledgement.mode"
MODES = {"implicit": {}, "explicit": {MODE: "explicit"}}
HAS_MODE = {"java", "librdkafka"}
"""Families whose application chooses the mode by that setting."""
Run = tuple[list[pb.Event], dict[tuple[int, int], str]]
"""The events of an instance, and the values of the stored records by partition and offset."""


def _cases() -> Iterator[object]:
    for family in read_families(CLIENTS).values():
        span = family.roles.get(Role.SHARE)
        if span is not None and span.covers(family.newest.version):
            for mode in MODES if family.family in HAS_MODE else ("implicit",):
                yield pytest.param(family, mode, id=f"{family.family}-{mode}", marks=pytest.mark.xdist_group("shares"))


every_share_driver = pytest.mark.parametrize(("family", "mode"), list(_cases()))


def seen(family: Family, mode: str) -> Run:
    """Return the run shared by all tests of a driver; skip without the client or the cluster."""
    return result_of(_play(family.family))[mode]


@functools.cache
def _play(name: str) -> dict[str, Run] | Exception:
    return run_once(_run(read_families(CLIENTS)[name]))


async def _run(family: Family) -> dict[str, Run]:
    modes = MODES if family.family in HAS_MODE else {"implicit": {}}
    launch = await asyncio.to_thread(provision, family, family.newest)
    async with brokers(LINE) as cluster, driving(launch) as driver:
        for mode in modes:
            await cluster.topic(mode, feed_ms=INTERVAL_MS)
            _start(driver, cluster, mode)
        await driver.until(lambda: all(_worked(driver, mode) for mode in modes))
        for mode in modes:
            await driver.stop(mode, DEADLINE_MS)
        return {mode: (driver.of(mode), await _stored(cluster, mode)) for mode in modes}


def _start(driver: Driver, cluster: Brokers, mode: str) -> None:
    driver.start(
        instance=mode,
        client_id=f"client-{mode}",
        role="share",
        profile="isolated",
        properties=MODES[mode],
        bootstrap=cluster.bootstrap,
        topic=mode,
        group=f"group-{mode}",
        interval_ms=INTERVAL_MS,
        broker=LINE,
    )


def _worked(driver: Driver, mode: str) -> bool:
    done = Counter(event.partition for event in driver.of(mode, pb.COMMITTED))
    return all(done[partition] >= ENOUGH for partition in (0, 1))


async def _stored(cluster: Brokers, topic: str) -> dict[tuple[int, int], str]:
    back = await cluster.stub.ReadBack(cluster_pb2.Topic(topic=topic))
    return {(item.partition, item.offset): item.value for item in back.records}


@every_share_driver
def test_each_record_is_received_once_and_then_accepted_once(family: Family, mode: str) -> None:
    events, stored = seen(family, mode)
    received: dict[tuple[int, int], str] = {}
    accepted = Counter[tuple[int, int]]()
    for event in events:
        record = (event.partition, event.offset)
        if event.kind == pb.RECEIVED:
            assert record not in received
            received[record] = event.value
        elif event.kind == pb.COMMITTED:
            assert record in received
            accepted[record] += 1
        elif event.kind == pb.COMMIT_ERROR:  # the last ones may be under way when the instance is closed
            assert record in received or event.offset < 0
            assert record not in accepted
    assert set(accepted.values()) == {1}
    assert received == {record: stored[record] for record in received}


@every_share_driver
def test_the_instance_begins_with_its_settings_and_ends_once(family: Family, mode: str) -> None:
    events, _ = seen(family, mode)
    assert events[0].kind == pb.READY
    assert "refresh_ms" in events[0].settings
    assert [event.kind for event in events if event.kind in {pb.CLOSED, pb.FATAL, pb.UNSUPPORTED}] == [pb.CLOSED]


@every_share_driver
def test_settings_that_brokers_decide_are_left_out(family: Family, mode: str) -> None:
    """Brokers set session, heartbeats and isolation of a share group (KIP-932)."""
    events, _ = seen(family, mode)
    assert not {"session_timeout_ms", "heartbeat_ms", "isolation", "offset_reset"} & set(events[0].settings)
