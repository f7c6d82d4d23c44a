"""The questions of role admin (proto/driver.proto, last paragraph), asked by every driver of a fake cluster."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version, read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.engines.embedded.rpc import cluster_pb2
from probe.protocol.apis import CREATE_TOPICS, FIND_COORDINATOR, OFFSET_FETCH
from tests.support.driver_host import ENDINGS, driving
from tests.support.fake_brokers import Brokers, brokers
from tests.support.shared_runs import result_of, run_once
from tests.support.tried_versions import marks, tried

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
TOPIC, GROUP = "asked", "group-asked"
NOWHERE, PARTITIONS = -1, (0, 1)
OFFSETS = ("latest", "earliest", "timestamp", "committed")
ABOUT_THE_CLUSTER = ("create", "cluster", "create", "group")
ENDS = (pb.LISTED, pb.LIST_ERROR)
RECORDS, COMMITTED = 4, 3
EACH, WAIT_S, DEADLINE_MS = 5, 45, 5000
"""Questions per partition that are waited for, and limits."""
SLOW_COORDINATORS = cluster_pb2.Fault(
    rules=[cluster_pb2.Rule(apis=[FIND_COORDINATOR], action=cluster_pb2.HOLD, hold_ms=400)]
)
"""The admin is closed between the two requests that describe a group."""


def _cases() -> Iterator[object]:
    for family in read_families(CLIENTS).values():
        span = family.roles.get("admin")
        for index, text in enumerate(tried(family)):
            version = family.newest if text == "latest" else family.find(text)
            if span is None or version is None or not span.covers(version.version):
                continue
            yield pytest.param(family, version, id=f"{family.family}@{text}", marks=marks(family, index))


every_admin = pytest.mark.parametrize(("family", "version"), list(_cases()))


def asked(family: Family, version: Version) -> list[pb.Event]:
    """Return the events of an admin that was closed; skip without the client or the cluster."""
    return result_of(_play(family.family, version.version))


@functools.cache
def _play(family_name: str, version_name: str) -> list[pb.Event] | Exception:
    family = read_families(CLIENTS)[family_name]
    version = family.find(version_name)
    assert version is not None
    return run_once(_run(family, version))


async def _run(family: Family, version: Version) -> list[pb.Event]:
    launch = await asyncio.to_thread(provision, family, version)
    async with brokers() as cluster, driving(launch) as driver:
        await _make_topic(cluster)
        driver.start(
            instance="admin",
            client_id="client-admin",
            role="admin",
            profile="isolated",
            bootstrap=cluster.bootstrap,
            topic=TOPIC,
            partitions=PARTITIONS,
            group=GROUP,
            interval_ms=100,
            max_in_flight=32,
            broker="3.9",
            bystander=1,
            bystander_ms=100,
        )
        wanted = (*PARTITIONS, NOWHERE)
        await driver.until(lambda: all(len(ended(driver.of("admin"), one)) >= EACH for one in wanted), WAIT_S)
        asked_before = len(sent(driver.of("admin"), NOWHERE))
        await cluster.stub.Inject(SLOW_COORDINATORS)
        await driver.until(lambda: "group" in sent(driver.of("admin"), NOWHERE)[asked_before:], WAIT_S)
        await driver.stop("admin", DEADLINE_MS)
        return driver.of("admin")


async def _make_topic(cluster: Brokers) -> None:
    partitions = [cluster_pb2.Assignment(leader=node, replicas=[1, 2, 3], records=RECORDS) for node in (1, 2)]
    commit = cluster_pb2.Commit(group=GROUP, offsets=dict.fromkeys(PARTITIONS, COMMITTED))
    history = cluster_pb2.ClusterHistory(commits=[commit])
    await cluster.stub.CreateTopic(cluster_pb2.CreateTopicRequest(topic=TOPIC, partitions=partitions, history=history))


def ended(events: list[pb.Event], partition: int) -> list[pb.Event]:
    return [event for event in events if event.kind in ENDS and event.partition == partition]


def sent(events: list[pb.Event], partition: int) -> list[str]:
    return [event.text for event in events if event.kind == pb.SENT and event.partition == partition]


def unasked(family: Family, version: Version, api: int) -> bool:
    """Return whether a version does not send a request for a reason of its own."""
    mine = [item for item in family.behaviour.unasked if item.role == "admin" and item.covers(version.version)]
    return api in {item.api for item in mine}


def offsets_of(family: Family, version: Version) -> tuple[str, ...]:
    """Return the questions about a partition that a version asks."""
    return tuple(name for name in OFFSETS if not (name == "committed" and unasked(family, version, OFFSET_FETCH)))


def about_the_cluster_of(family: Family, version: Version) -> tuple[str, ...]:
    """Return the questions about the cluster that a version asks."""
    return tuple(
        name for name in ABOUT_THE_CLUSTER if not (name == "create" and unasked(family, version, CREATE_TOPICS))
    )


@every_admin
def test_every_admin_asks_for_the_same_offsets_in_turn(family: Family, version: Version) -> None:
    wanted = offsets_of(family, version)
    for partition in PARTITIONS:
        names = sent(asked(family, version), partition)
        assert names == [wanted[number % len(wanted)] for number in range(len(names))]


@every_admin
def test_every_admin_asks_the_same_about_the_cluster_in_turn(family: Family, version: Version) -> None:
    wanted = about_the_cluster_of(family, version)
    names = sent(asked(family, version), NOWHERE)
    assert names == [wanted[number % len(wanted)] for number in range(len(names))]


@every_admin
def test_answers_come_without_an_error_under_the_number_of_their_question(family: Family, version: Version) -> None:
    events = asked(family, version)
    assert not [event for event in events if event.kind == pb.LIST_ERROR]
    for partition in (*PARTITIONS, NOWHERE):
        numbers = {
            event.sequence: event.text for event in events if event.kind == pb.SENT and event.partition == partition
        }
        assert all(numbers[event.sequence] == event.text for event in ended(events, partition))
    assert {event.offset for event in ended(events, NOWHERE)} == {-1}


@every_admin
def test_offsets_are_those_of_the_partition(family: Family, version: Version) -> None:
    found = {event.text: event.offset for event in ended(asked(family, version), 0)}
    wanted = {"latest": RECORDS, "earliest": 0, "committed": COMMITTED}
    assert {name: found[name] for name in wanted if name in found} == {
        name: wanted[name] for name in offsets_of(family, version) if name in wanted
    }


@every_admin
def test_an_admin_is_closed_with_both_of_its_clients(family: Family, version: Version) -> None:
    assert [event.kind for event in asked(family, version) if event.kind in ENDINGS] == [pb.CLOSED]
