"""Reports of watermill-kafka to an application beside sarama (proto/driver.proto, and verdicts on both)."""

from __future__ import annotations

import asyncio
import functools
from pathlib import Path

import pytest

from probe.catalogue.families import Version, read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.model import Outcome
from tests.support.application_orders import order
from tests.support.driver_host import driving
from tests.support.fake_brokers import brokers
from tests.support.real_cells import planned, play
from tests.support.shared_runs import result_of, run_once

FAMILY = read_families(Path(__file__).resolve().parents[2] / "clients")["watermill"]
SARAMA = "github.com/IBM/sarama"
WRITER, MEMBER, BURSTS = "writer", "member", "bursts"
pytestmark = [pytest.mark.real, pytest.mark.xdist_group("watermill"), pytest.mark.timeout(900)]


def _events(version: Version) -> dict[str, list[pb.Event]]:
    return result_of(_play(version.version))


@functools.cache
def _play(version: str) -> dict[str, list[pb.Event]] | Exception:
    return run_once(_run(version))


async def _run(text: str) -> dict[str, list[pb.Event]]:
    version = FAMILY.find(text)
    assert version is not None
    launch = await asyncio.to_thread(provision, FAMILY, version)
    async with brokers() as cluster, driving(launch) as driver:
        await cluster.topic("written")
        driver.start(**order(WRITER, cluster.bootstrap, profile="defaults"))
        driver.start(**order(MEMBER, cluster.bootstrap, role="group", group="readers"))
        driver.start(**order(BURSTS, cluster.bootstrap, workload="pipelined", batch=5))
        await driver.until(lambda: len(driver.of(MEMBER, pb.RECEIVED)) >= 20)
        await driver.until(lambda: driver.of(BURSTS, pb.UNSUPPORTED))
        for name in (MEMBER, WRITER):
            await driver.stop(name, 8000)
        return {name: driver.of(name) for name in (WRITER, MEMBER, BURSTS)}


@pytest.mark.parametrize("version", FAMILY.versions, ids=str)
def test_the_library_inside_is_the_one_of_client_toml(version: Version) -> None:
    assert version.library is not None
    named = f"with {SARAMA} {version.library.version}"
    for name in (WRITER, MEMBER):
        assert named in {event.text for event in _events(version)[name] if event.kind == pb.NOTICE}


@pytest.mark.parametrize("version", FAMILY.versions, ids=str)
def test_defaults_are_the_wrapper_s_own(version: Version) -> None:
    ready = _events(version)[WRITER][0]
    assert ready.kind == pb.READY
    oldest = version.version.startswith("3.0.")  # 3.1.0 leaves Version to sarama
    found = {name: ready.settings[name] for name in ("retries", "acks", "protocol")}
    assert found == {"retries": "10", "acks": "1", "protocol": "1.0.0" if oldest else "2.1.0"}
    assert int(ready.settings["longest_backoff_ms"]) >= 2000


def test_a_burst_is_unsupported_as_publish_waits_for_each_record() -> None:
    (event,) = _events(FAMILY.newest)[BURSTS]
    assert event.kind == pb.UNSUPPORTED
    assert "waits for each" in event.text


def test_each_acknowledgement_has_its_own_offset() -> None:
    acked = [(item.partition, item.offset) for item in _events(FAMILY.newest)[WRITER] if item.kind == pb.ACKED]
    assert len(acked) == len(set(acked)) >= 10
    assert min(offset for _, offset in acked) == 0


def test_a_reader_without_a_group_hears_of_no_error_where_sarama_s_does() -> None:
    for client, outcome, errors in (
        (f"watermill@{FAMILY.newest.version}", Outcome.REFRESHES, 0),
        ("sarama@1.43.3", Outcome.SURFACES, 1),
    ):
        for _, verdict in play([planned(client, "disk/storage-error", role="consumer")]):
            assert (verdict.outcome, verdict.facts.errors_surfaced) == (outcome, errors), client
