"""Promises of the driver of Benthos (proto/driver.proto) with each of its Kafka components, and a verdict on both."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.model import Outcome
from tests.support.application_orders import order, sent_and_stored, stored_in
from tests.support.driver_host import ENDINGS, Driver, driving
from tests.support.fake_brokers import brokers
from tests.support.real_cells import planned, play
from tests.support.shared_runs import result_of, run_once

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
LIBRARIES = {"benthos-kafka": "github.com/IBM/sarama", "benthos-kafka-franz": "github.com/twmb/franz-go"}
DEADLINE_MS = 8000
READER: dict[str, Any] = {"role": "group", "group": "readers"}
ODD: dict[str, dict[str, Any]] = {
    "sorcerer": {"role": "sorcerer"},
    "wishful": {"profile": "wishful"},
    "invented_key": {"properties": {"invented_key": "1"}},
    "brotli": {"properties": {"compression": "brotli"}},
    "partitioner": {"properties": {"partitioner": "round_robin"}},
}
ORDERS: dict[str, dict[str, Any]] = {"writer": {}, "reader": READER, **ODD}
pytestmark = [pytest.mark.real, pytest.mark.xdist_group("benthos"), pytest.mark.timeout(1200)]


@pytest.fixture(params=LIBRARIES)
def family(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def _events(family: str) -> dict[str, list[pb.Event]]:
    return result_of(_play(family))


@functools.cache
def _play(family: str) -> dict[str, list[pb.Event]] | Exception:
    return run_once(_run(family))


async def _run(name: str) -> dict[str, list[pb.Event]]:
    family = read_families(CLIENTS)[name]
    launch = await asyncio.to_thread(provision, family, family.newest)
    async with brokers() as cluster, driving(launch) as driver:
        await cluster.topic("written")
        for instance, own in ORDERS.items():
            driver.start(**order(instance, cluster.bootstrap, **own))
            if instance in ODD:
                await driver.until(functools.partial(driver.of, instance, *ENDINGS))
            else:
                kind = pb.RECEIVED if own else pb.SENT
                await driver.until(functools.partial(_reached, driver, instance, kind))
                await driver.stop(instance, DEADLINE_MS)
        found = {instance: driver.of(instance) for instance in ORDERS}
        for sent, stored in sent_and_stored("writer", found["writer"], await stored_in(cluster)):
            assert stored == sent
    return found


def _reached(driver: Driver, name: str, kind: int) -> bool:
    return len(driver.of(name, kind)) >= 40


@pytest.mark.parametrize("name", ODD)
def test_what_benthos_does_not_have_is_unsupported(family: str, name: str) -> None:
    (ending,) = [event for event in _events(family)[name] if event.kind in ENDINGS]
    assert ending.kind == pb.UNSUPPORTED
    assert name in ending.text


def test_deliveries_are_counted_and_not_reported_as_single_ones(family: str) -> None:
    events = _events(family)["writer"]
    kinds = [event.kind for event in events]
    assert (kinds[0], kinds[-1]) == (pb.READY, pb.CLOSED)
    assert not {pb.ACKED, pb.SEND_ERROR} & set(kinds)
    (last,) = [event.text for event in events if event.text.startswith("messages delivered")]
    assert last == f"messages delivered by the stream: {kinds.count(pb.SENT)}; rejected: 0"


def test_the_library_inside_is_named(family: str) -> None:
    assert any(f"with {LIBRARIES[family]} " in event.text for event in _events(family)["writer"])


def test_a_group_reads_partitions_in_order_and_reports_no_offset(family: str) -> None:
    received = [event for event in _events(family)["reader"] if event.kind == pb.RECEIVED]
    assert {event.offset for event in received} == {-1}
    for partition in (0, 1):
        read = [int(event.value.split()[2]) for event in received if event.partition == partition]
        assert read == list(range(len(read)))


def test_sarama_inside_writes_to_a_dead_disk_and_franz_go_does_not(family: str) -> None:
    _events(family)  # or skip
    version = read_families(CLIENTS)[family].newest.version
    for _, verdict in play([planned(f"{family}@{version}", "disk/storage-error")]):
        assert (verdict.outcome is Outcome.STUCK) == (family == "benthos-kafka")
        assert verdict.facts.fault_codes == (56,)
