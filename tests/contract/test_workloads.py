"""Every workload of every driver (proto/driver.proto, Workloads), tested against a fake cluster.

The first core version of each family is in the quick suite; the others are marked `real`.
"""

from __future__ import annotations

import asyncio
import functools
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, Version, read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.engines.embedded.rpc import cluster_pb2
from probe.model import Role, Stored, Workload
from probe.model.roles import ROLES
from probe.model.workloads import HAVING
from probe.planning.loads import LOADS
from probe.protocol.apis import PRODUCE
from tests.contract.test_drivers import CLIENTS, every_driver
from tests.support.driver_host import Driver, driving
from tests.support.fake_brokers import Brokers, brokers
from tests.support.shared_runs import result_of, run_once

pytestmark = pytest.mark.real
MANY = (Workload.PIPELINED, Workload.KEYED)
WRITERS = ("producer", "transactional")
READERS = ("consumer", "group")
BURSTS = 4
"""Bursts, or records of every key, after which an instance is closed."""
INTERVAL_MS, DEADLINE_MS = 100, 5000
BATCH = LOADS[Workload.PIPELINED].batch
KEYS = LOADS[Workload.KEYED].keys
INVENTED = "flood"
"""A workload that does not exist, and the instance that asks for it."""


@dataclass
class Transcript:
    """One run of a driver: its events by instance, and the records of the cluster by topic."""

    events: dict[str, list[pb.Event]] = field(default_factory=dict)
    stored: dict[str, list[Stored]] = field(default_factory=dict)
    requests: int = 0
    """Produce requests of the pipelined producer."""

    def of(self, instance: str, *kinds: pb.Kind.ValueType) -> list[pb.Event]:
        return [event for event in self.events[instance] if event.kind in kinds]


def instances(family: Family, version: Version) -> dict[str, tuple[Workload, Role]]:
    """Return the instances that this version can play, by name."""
    has = {name for name, span in family.roles.items() if span.covers(version.version)}
    idempotent = family.profiles.get("idempotent")
    if idempotent and not idempotent.covers(version.version):  # several sends at once spoil its numbers
        has.discard(Role.TRANSACTIONAL)
    return {
        f"{workload}-{role}": (workload, role)
        for workload in MANY
        if workload not in family.missing_workloads
        for role in sorted(HAVING[workload])
        if role in has and not ROLES[role].shares  # these brokers have no share groups: test_share_drivers.py
    }


def transcript(family: Family, version: Version, name: str = "") -> Transcript:
    """Return the run shared by all tests of a driver; skip without the client, the cluster or the role."""
    if name and name not in instances(family, version):
        pytest.skip(f"{family.family} has no {name}")
    return result_of(_play(family.family, version.version))


@functools.cache
def _play(family_name: str, version_name: str) -> Transcript | Exception:
    family = read_families(CLIENTS)[family_name]
    version = family.find(version_name)
    assert version is not None
    return run_once(_run(family, version))


async def _run(family: Family, version: Version) -> Transcript:
    launch = await asyncio.to_thread(provision, family, version)
    async with brokers() as cluster, driving(launch) as driver:
        seen, started = Transcript(), instances(family, version)
        for name in (*started, INVENTED):
            workload, role = started.get(name, (name, Role.PRODUCER))
            await cluster.topic(name, feed_ms=INTERVAL_MS if ROLES[role].reads else 0, batch=BATCH)
            _start(driver, cluster, family, name, workload, role)
        await driver.until(lambda: all(_worked(driver, name, role) for name, (_, role) in started.items()))
        await driver.until(lambda: driver.of(INVENTED, pb.UNSUPPORTED))
        for name in started:
            await driver.stop(name, DEADLINE_MS)
        seen.requests = await _produce_requests(cluster, "client-pipelined-producer")
        for name in started:
            back = await cluster.stub.ReadBack(cluster_pb2.Topic(topic=name))
            seen.stored[name] = [Stored.of(item.partition, item.offset, item.value) for item in back.records]
        seen.events = {name: driver.of(name) for name in (*started, INVENTED)}
        return seen


def _start(driver: Driver, cluster: Brokers, family: Family, name: str, workload: str, role: Role) -> None:
    load = LOADS.get(Workload(workload)) if workload in set(Workload) else None
    asked: dict[str, Any] = {
        "instance": name,
        "client_id": f"client-{name}",
        "role": role,
        "profile": "isolated",
        "properties": family.settings_of(Workload(workload), role) if load else {},
        "bootstrap": cluster.bootstrap,
        "topic": name,
        "partitions": [0, 1],
        "group": f"group-{name}" if role is Role.GROUP else "",
        "transactional_id": f"id-{name}" if role is Role.TRANSACTIONAL else "",
        "interval_ms": INTERVAL_MS,
        "max_in_flight": load.max_in_flight if load else 1,
        "broker": "3.9",
        "bystander": 1,
        "workload": workload,
        "batch": load.batch if load else 1,
        "keys": load.keys if load else (),
    }
    driver.start(**asked)


def _worked(driver: Driver, name: str, role: Role) -> bool:
    if role is Role.TRANSACTIONAL:
        return len(driver.of(name, pb.TXN_COMMITTED)) >= BURSTS
    kind = pb.RECEIVED if ROLES[role].reads else pb.ACKED
    series = Counter(event.partition for event in driver.of(name, kind))
    least = BURSTS * (BATCH if name.startswith(Workload.PIPELINED) else 1)
    return all(series[partition] >= least for partition in (0, 1))


async def _produce_requests(cluster: Brokers, client: str) -> int:
    counts = await cluster.stub.Counts(cluster_pb2.Done())
    return sum(item.requests for item in counts.counts if item.api == PRODUCE and item.client == client)


@every_driver
def test_an_invented_workload_is_unsupported(family: Family, version: Version) -> None:
    (ending,) = transcript(family, version).of(INVENTED, pb.UNSUPPORTED)
    assert INVENTED in ending.text


@every_driver
@pytest.mark.parametrize("workload", MANY)
@pytest.mark.parametrize("role", WRITERS)
def test_every_record_is_sent_once_and_has_one_outcome(
    family: Family, version: Version, workload: Workload, role: str
) -> None:
    name = f"{workload}-{role}"
    seen = transcript(family, version, name)
    begun: list[tuple[int, int]] = []
    ended = Counter[tuple[int, int]]()
    for event in seen.of(name, pb.SENT, pb.ACKED, pb.SEND_ERROR):
        partition = -1 if workload is Workload.KEYED else event.partition
        if event.kind == pb.SENT:
            begun.append((event.partition, event.sequence))
        else:
            assert (partition, event.sequence) in begun
            ended[partition, event.sequence] += 1
    assert len(begun) == len(set(begun))
    assert set(ended.values()) == {1}
    if role == "producer":
        unended = set(begun) - ended.keys()
        if family.family == "kafkajs":  # disconnect() does not wait for what is under way (tulios/kafkajs #1438)
            unended -= set(begun[-BATCH:])
        assert not unended
        assert not seen.of(name, pb.SEND_ERROR)


@every_driver
@pytest.mark.parametrize("partition", [0, 1])
def test_the_records_of_a_partition_have_consecutive_numbers(family: Family, version: Version, partition: int) -> None:
    name = "pipelined-producer"
    sent = [item for item in transcript(family, version, name).of(name, pb.SENT) if item.partition == partition]
    assert [event.sequence for event in sent] == list(range(len(sent)))


@every_driver
def test_requests_have_many_records(family: Family, version: Version) -> None:
    seen = transcript(family, version, "pipelined-producer")
    assert 2 * seen.requests < len(seen.stored["pipelined-producer"])


@every_driver
@pytest.mark.parametrize("workload", MANY)
def test_acknowledged_records_are_stored_where_the_driver_says(
    family: Family, version: Version, workload: Workload
) -> None:
    name = f"{workload}-producer"
    seen = transcript(family, version, name)
    stored = {(item.partition, item.offset): item for item in seen.stored[name]}
    for event in seen.of(name, pb.ACKED):
        assert stored[event.partition, event.offset].sequence == event.sequence
    assert all(item.instance == name for item in stored.values())


@every_driver
@pytest.mark.parametrize("role", WRITERS)
def test_the_library_chooses_one_partition_for_every_key_and_uses_both(
    family: Family, version: Version, role: str
) -> None:
    name = f"keyed-{role}"
    seen = transcript(family, version, name)
    assert {event.partition for event in seen.of(name, pb.SENT, pb.SEND_ERROR)} == {-1}
    places: dict[int, set[int]] = {}
    for item in seen.stored[name]:
        places.setdefault(item.sequence % len(KEYS), set()).add(item.partition)
    assert set(places) == set(range(len(KEYS)))
    assert all(len(partitions) == 1 for partitions in places.values())
    assert set().union(*places.values()) == {0, 1}


@every_driver
@pytest.mark.parametrize(("workload", "each"), [(Workload.PIPELINED, 2 * BATCH), (Workload.KEYED, len(KEYS))])
def test_a_transaction_has_the_records_of_its_workload(
    family: Family, version: Version, workload: Workload, each: int
) -> None:
    name = f"{workload}-transactional"
    numbers: list[int] = []
    for event in transcript(family, version, name).of(name, pb.TXN_BEGUN, pb.SENT):
        if event.kind == pb.TXN_BEGUN:
            numbers.append(0)
        else:
            numbers[-1] += 1
    assert set(numbers[:-1]) == {each}  # the last one may have been cut short


@every_driver
@pytest.mark.parametrize("role", READERS)
@pytest.mark.parametrize("partition", [0, 1])
def test_bursts_are_received_whole_and_in_order(family: Family, version: Version, role: str, partition: int) -> None:
    name = f"pipelined-{role}"
    received = [item for item in transcript(family, version, name).of(name, pb.RECEIVED) if item.partition == partition]
    numbers = [int(item.value.split(" ")[2]) for item in received]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(numbers) >= BURSTS * BATCH


def test_every_family_says_how_its_library_fills_batches() -> None:
    """Node clients, rskafka and synchronous wrappers gather nothing; applications decide by themselves."""
    found = {
        name: {role for role in WRITERS if family.settings_of(Workload.PIPELINED, Role(role))}
        for name, family in read_families(Path(CLIENTS)).items()
        if not (family.judged_by or Workload.PIPELINED in family.missing_workloads)
        and name not in {"kafkajs", "kafka-node", "platformatic-kafka", "rskafka"}
    }
    assert found == {name: {role for role in WRITERS if role in read_families(CLIENTS)[name].roles} for name in found}
