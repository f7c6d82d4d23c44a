"""Promises of the driver of the OpenTelemetry Collector (proto/driver.proto), and the verdict on the real one."""

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
NEWEST = read_families(CLIENTS)["otel-collector"].newest.version
"""The newest listed release alone: each takes minutes to build, once per cache."""
DEADLINE_MS = 8000
READER: dict[str, Any] = {"role": "group", "group": "readers"}
ODD: dict[str, dict[str, Any]] = {
    "sorcerer": {"role": "sorcerer"},
    "wishful": {"profile": "wishful"},
    "invented_key": {"properties": {"invented_key": "1"}},
    "brotli": {"properties": {"producer.compression": "brotli"}},
    "logs.encoding": {"properties": {"logs.encoding": "otlp_proto"}},
    "no.such.Gate": {"properties": {"feature_gates": "-no.such.Gate"}},
}
ORDERS: dict[str, dict[str, Any]] = {"writer": {}, "reader": READER, **ODD}
pytestmark = [pytest.mark.real, pytest.mark.xdist_group("otel-collector"), pytest.mark.timeout(1200)]


def _events() -> dict[str, list[pb.Event]]:
    return result_of(_play())


@functools.cache
def _play() -> dict[str, list[pb.Event]] | Exception:
    return run_once(_run())


async def _run() -> dict[str, list[pb.Event]]:
    family = read_families(CLIENTS)["otel-collector"]
    launch = await asyncio.to_thread(provision, family, family.newest)
    found = {}
    async with brokers() as cluster:
        await cluster.topic("written")
        for name, own in ORDERS.items():  # a process each, as in runs
            async with driving(launch) as driver:
                driver.start(**order(name, cluster.bootstrap, **own))
                if name in ODD:
                    await driver.until(functools.partial(driver.of, name, *ENDINGS))
                else:
                    kind = pb.RECEIVED if own else pb.SENT
                    await driver.until(functools.partial(_reached, driver, name, kind))
                    await driver.stop(name, DEADLINE_MS)
                found[name] = driver.of(name)
        for sent, stored in sent_and_stored("writer", found["writer"], await stored_in(cluster)):
            assert stored == sent  # a Collector that ends empties its queue
    return found


def _reached(driver: Driver, name: str, kind: int) -> bool:
    return len(driver.of(name, kind)) >= 40


@pytest.mark.parametrize("name", ODD)
def test_what_a_collector_does_not_have_is_unsupported(name: str) -> None:
    (ending,) = [event for event in _events()[name] if event.kind in ENDINGS]
    assert ending.kind == pb.UNSUPPORTED
    assert name in ending.text


@pytest.mark.parametrize("name", ["writer", "reader"])
def test_no_single_delivery_or_commit_is_reported(name: str) -> None:
    kinds = [event.kind for event in _events()[name]]
    assert kinds[0] == pb.READY
    assert kinds[-1] == pb.CLOSED
    assert not {pb.ACKED, pb.SEND_ERROR, pb.COMMITTED, pb.COMMIT_ERROR} & set(kinds)


def test_settings_are_those_of_the_section_and_the_defaults() -> None:
    writer, reader = (dict(_events()[name][0].settings) for name in ("writer", "reader"))
    assert (writer["acks"], writer["idempotence"], writer["refresh_ms"]) == ("1", "false", "3600000")
    assert (reader["session_timeout_ms"], reader["heartbeat_ms"]) == ("10000", "3000")
    assert reader["offset_reset"] == "earliest"


def test_the_library_inside_is_named() -> None:
    assert any("with github.com/twmb/franz-go " in event.text for event in _events()["writer"])


def test_records_come_in_the_order_of_their_partition() -> None:
    for partition in (0, 1):
        read = [
            int(event.value.split()[2])
            for event in _events()["reader"]
            if (event.kind, event.partition) == (pb.RECEIVED, partition)
        ]
        assert read
        assert read == list(range(len(read)))


def test_a_collector_asks_for_metadata_when_a_disk_fails() -> None:
    _events()  # or skip
    for _, verdict in play([planned(f"otel-collector@{NEWEST}", "disk/storage-error")]):
        assert verdict.outcome in {Outcome.REFRESHES, Outcome.LATE}
        assert (verdict.facts.refresh_trigger, verdict.facts.recovered) == ("error", True)
