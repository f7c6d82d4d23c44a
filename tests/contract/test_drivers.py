"""Promises of every driver (proto/driver.proto), tested against a fake cluster.

The first core version of each family is in the quick suite; the others are marked `real`.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, Version, read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.engines.embedded.rpc import cluster_pb2
from probe.model.cell import Role
from probe.model.roles import ROLES
from probe.model.words import OwnLimit
from probe.protocol.apis import PRODUCE
from probe.verdict.patience import own_limits
from tests.support.deadlines import LONGEST_S
from tests.support.driver_host import ENDINGS, Driver, driving
from tests.support.driver_transcripts import (
    BYSTANDER,
    BYSTANDER_MS,
    CLOSE_LATE_S,
    DEADLINE_MS,
    EXIT_S,
    PING_S,
    PLAYS,
    QUICK_MS,
    SELDOM_MS,
    USUAL_OFF_MS,
    Transcript,
)
from tests.support.fake_brokers import Brokers, brokers
from tests.support.own_limits import unlisted
from tests.support.shared_runs import result_of, run_once
from tests.support.tried_versions import marks, profile_of, tried

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
WORKING = ("producer", "consumer", "group", "refused")
"""Instances that play their role to the end.

`refused` is a producer whose partition 0 is refused by the broker. It is not idempotent: kafka-python 3.0.12 answers
every later send on any partition with the same error then, which is no fault of its driver.
"""
REFUSED = 3
"""Operations that are refused before the instances are closed."""
ROLE = {"refused": "producer"}
"""Roles of instances that are not named after their role."""
HIDES_COMMITS = {"watermill"}
"""Commits in the background, of which the driver sees none that a record was acknowledged behind."""
INVENTED: dict[str, dict[str, Any]] = {
    "invented-role": {"role": "sorcerer"},
    "invented-profile": {"profile": "wishful"},
    "invented-property": {"properties": {"invented.setting.of.nobody": "1"}},
}
REFUSAL, REFUSAL_NAME = 10, "MESSAGE_TOO_LARGE"
"""No client retries this error, all know it, and most have another name for it."""
PACED_S = 1.6
"""Time at the second interval."""
HANDLER_MS = 1000
RECORDS = 10


def _cases() -> Iterator[object]:
    for family in read_families(CLIENTS).values():
        for index, text in enumerate(tried(family)):
            version = family.newest if text == "latest" else family.find(text)
            yield pytest.param(family, version, id=f"{family.family}@{text}", marks=marks(family, index))


def _working(family: Family, version: Version) -> tuple[str, ...]:
    """Return the instances with a role of this version."""
    has = {name for name, span in family.roles.items() if span.covers(version.version)}
    return tuple(name for name in WORKING if ROLE.get(name, name) in has)


every_driver = pytest.mark.parametrize(("family", "version"), list(_cases()))


def transcript(family: Family, version: Version) -> Transcript:
    """Return the run shared by all tests of a driver; skip without the client or the cluster."""
    return result_of(_play(family.family, version.version))


def transcript_with(family: Family, version: Version, name: str) -> Transcript:
    """Return that run for a test of one instance; skip if the client lacks the role."""
    if name not in _working(family, version):
        pytest.skip(f"{family.family} has no role {ROLE.get(name, name)}")
    return transcript(family, version)


@functools.cache
def _play(family_name: str, version_name: str) -> Transcript | Exception:
    family = read_families(CLIENTS)[family_name]
    version = family.find(version_name)
    assert version is not None
    for _ in range(PLAYS):
        seen = run_once(_run(family, version))
        if isinstance(seen, Exception) or seen.is_punctual:
            break
    return seen


async def _run(family: Family, version: Version) -> Transcript:
    launch = await asyncio.to_thread(provision, family, version)
    async with brokers() as cluster, driving(launch) as driver:
        assert driver.hello is not None
        seen = Transcript(driver.hello)
        for topic in ("written", "refused"):
            await cluster.topic(topic)
        await cluster.topic("fed", feed_ms=50)
        await _refuse(cluster)
        working = _working(family, version)
        for name in working:
            _start(driver, cluster, name, profile=profile_of(family, name))
        for name, odd in INVENTED.items():
            _start(driver, cluster, name, **odd)
        await driver.until(lambda: _worked(driver, working))
        seen.ping_s = [await driver.ping(number) for number in range(5)]
        seen.quick = len(driver.of("producer", pb.SENT))
        driver.pace("producer", SELDOM_MS)
        driver.handle("group", HANDLER_MS)
        await asyncio.sleep(PACED_S)
        for name in working:
            seen.close_s[name] = await driver.stop(name, DEADLINE_MS)
        await asyncio.sleep(0.5)  # an event after the ending would come now
        seen.events = {name: driver.of(name) for name in (*working, *INVENTED)}
        seen.batches = driver.batches
        back = await cluster.stub.ReadBack(cluster_pb2.Topic(topic="written"))
        seen.stored = {(record.partition, record.offset): record.value for record in back.records}
        reply = await cluster.stub.Committed(cluster_pb2.Group(group="group-group", topic="fed"))
        seen.committed = dict(reply.offsets)
        seen.exit_s = await _close_stdin(driver)
        return seen


def _start(driver: Driver, cluster: Brokers, name: str, **odd: Any) -> None:
    role = ROLE.get(name, name if name in WORKING else "producer")
    topic = {"consumer": "fed", "group": "fed", "refused": "refused"}.get(name, "written")
    asked: dict[str, Any] = {
        "instance": name,
        "client_id": f"client-{name}",
        "role": role,
        "profile": "isolated",
        "bootstrap": cluster.bootstrap,
        "topic": topic,
        "partitions": [0, 1],
        "group": f"group-{name}",
        "interval_ms": QUICK_MS,
        "max_in_flight": 32,
        "broker": "3.9",
        "bystander": BYSTANDER,
        "bystander_ms": BYSTANDER_MS,
    }
    driver.start(**(asked | odd))


async def _refuse(cluster: Brokers) -> None:
    rule = cluster_pb2.Rule(id="refuse", apis=[PRODUCE], topic="refused", partitions=[0], code=REFUSAL)
    await cluster.stub.Inject(cluster_pb2.Fault(rules=[rule]))


def _worked(driver: Driver, working: tuple[str, ...]) -> bool:
    wanted = (
        ("producer", pb.ACKED, 2 * RECORDS),
        ("consumer", pb.RECEIVED, 2 * RECORDS),
        ("group", pb.RECEIVED, 2 * RECORDS),
        ("group", pb.COMMITTED, 2),
        ("refused", pb.SEND_ERROR, REFUSED),
        ("refused", pb.ACKED, 3),
        *((name, pb.UNSUPPORTED, 1) for name in INVENTED),
    )
    due = [item for item in wanted if item[0] in (*working, *INVENTED)]
    return all(len(driver.of(name, kind)) >= count for name, kind, count in due)


async def _close_stdin(driver: Driver) -> float:
    assert driver.process is not None
    assert driver.process.stdin is not None
    begun = time.monotonic()
    driver.process.stdin.close()
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(driver.process.wait(), LONGEST_S)
    return time.monotonic() - begun


@pytest.mark.real
@every_driver
def test_hello_agrees_with_client_toml(family: Family, version: Version) -> None:
    hello = transcript(family, version).hello
    assert (hello.family, hello.version) == (family.family, version.version)
    assert set(hello.roles) == {name for name, span in family.roles.items() if span.covers(version.version)}
    assert set(hello.profiles) == {name for name, span in family.profiles.items() if span.covers(version.version)}
    assert hello.runtime


@every_driver
@pytest.mark.parametrize("invented", INVENTED)
def test_invented_names_are_unsupported(family: Family, version: Version, invented: str) -> None:
    events = transcript(family, version).events[invented]
    endings = [event for event in events if event.kind in ENDINGS]
    assert [event.kind for event in endings] == [pb.UNSUPPORTED]
    (word,) = {"invented-role": ["sorcerer"], "invented-profile": ["wishful"]}.get(invented, ["invented.setting"])
    assert word in endings[0].text


@every_driver
@pytest.mark.parametrize("name", WORKING)
def test_ready_comes_first_with_settings(family: Family, version: Version, name: str) -> None:
    events = transcript_with(family, version, name).events[name]
    assert events[0].kind == pb.READY
    assert [event.kind for event in events].count(pb.READY) == 1
    settings = dict(events[0].settings)
    assert all(value for value in settings.values())
    assert settings.get("offset_reset", "latest") in {"earliest", "latest"}
    if name == "producer":
        assert settings["acks"] in {"all", "1", "0"}
        assert int(settings["retries"]) >= 0


@every_driver
@pytest.mark.parametrize("name", WORKING)
def test_its_own_limits_are_those_of_client_toml(family: Family, version: Version, name: str) -> None:
    """Profile `isolated` changes the periodic refresh alone; the session of a client without a group ends nothing."""
    (ready,) = transcript_with(family, version, name).of(name, pb.READY)
    role = Role(ROLE.get(name, name))
    others = {OwnLimit.REFRESH} if ROLES[role].member else {OwnLimit.REFRESH, OwnLimit.SESSION}
    seen = [item for item in own_limits(ready.settings) if item[0] not in others]
    assert unlisted(family, version.version, role, seen) == []


@every_driver
@pytest.mark.parametrize("name", WORKING)
def test_an_instance_ends_once_within_its_deadline(family: Family, version: Version, name: str) -> None:
    seen = transcript_with(family, version, name)
    kinds = [event.kind for event in seen.events[name]]
    assert [kind for kind in kinds if kind in ENDINGS] == [pb.CLOSED]
    assert kinds[-1] == pb.CLOSED
    assert seen.close_s[name] <= DEADLINE_MS / 1000 + CLOSE_LATE_S


@every_driver
@pytest.mark.parametrize("partition", [0, 1])
def test_each_operation_is_sent_then_ended_once(family: Family, version: Version, partition: int) -> None:
    seen = transcript(family, version)
    sent = [event for event in seen.of("producer", pb.SENT) if event.partition == partition]
    assert [event.sequence for event in sent] == list(range(len(sent)))
    begun: set[int] = set()
    ended: set[int] = set()
    for event in seen.of("producer", pb.SENT, pb.ACKED, pb.SEND_ERROR):
        if event.partition != partition:
            continue
        if event.kind == pb.SENT:
            begun.add(event.sequence)
        else:
            assert event.sequence in begun - ended
            ended.add(event.sequence)
    assert len(ended) >= len(begun) - 1


@every_driver
@pytest.mark.parametrize("partition", [0, 1])
def test_operations_follow_the_last_interval(family: Family, version: Version, partition: int) -> None:
    """Operations on the bystander come at most at the requested interval."""
    for off_ms, gaps in transcript(family, version).off_ms(partition):
        assert off_ms <= USUAL_OFF_MS, gaps


@every_driver
def test_acked_records_are_stored_at_their_offset(family: Family, version: Version) -> None:
    seen = transcript(family, version)
    sent = {(event.partition, event.sequence): event.clock_us for event in seen.of("producer", pb.SENT)}
    acked = seen.of("producer", pb.ACKED)
    assert all(event.offset >= 0 for event in acked)
    for event in acked:
        clock = sent[event.partition, event.sequence]
        expected = f"producer {event.partition} {event.sequence} {clock}"
        assert seen.stored[event.partition, event.offset] == expected


@every_driver
@pytest.mark.parametrize("name", ["consumer", "group"])
@pytest.mark.parametrize("partition", [0, 1])
def test_records_are_received_whole_and_in_order(family: Family, version: Version, name: str, partition: int) -> None:
    seen = transcript_with(family, version, name)
    received = [event for event in seen.of(name, pb.RECEIVED) if event.partition == partition]
    first = 0 if name == "consumer" else received[0].offset
    assert [event.offset for event in received] == list(range(first, first + len(received)))
    assert all(event.value.split(" ")[:2] == ["feed", str(partition)] for event in received)
    assert all(event.value.split(" ")[2].isdigit() for event in received)


@every_driver
def test_a_member_commits_only_delivered_offsets(family: Family, version: Version) -> None:
    seen = transcript_with(family, version, "group")
    assert {item for event in seen.of("group", pb.ASSIGNED) for item in event.partitions} == {0, 1}
    given: dict[int, int] = {}
    committed: dict[int, int] = {}
    for event in seen.of("group", pb.RECEIVED, pb.COMMITTED):
        if event.kind == pb.RECEIVED:
            given[event.partition] = event.offset + 1
        else:
            assert event.offset <= given[event.partition]
            committed[event.partition] = event.offset
    assert set(committed) == {0, 1} or (committed and family.family in HIDES_COMMITS)
    assert all(seen.committed[partition] >= offset for partition, offset in committed.items())


@every_driver
def test_a_member_asks_for_no_more_while_its_application_handles_a_record(family: Family, version: Version) -> None:
    received = transcript_with(family, version, "group").of("group", pb.RECEIVED)
    times = [[event.clock_us for event in received if event.partition == partition] for partition in (0, 1)]
    longest = max(after - before for each in times for before, after in itertools.pairwise(each))
    assert longest >= 0.9 * HANDLER_MS * 1000


@every_driver
def test_an_error_carries_code_and_name_and_hits_one_partition(family: Family, version: Version) -> None:
    seen = transcript(family, version)
    errors = seen.of("refused", pb.SEND_ERROR)
    assert {event.partition for event in errors} == {0}
    refused = [event for event in errors if event.error.code != -1]
    assert {(event.error.code, event.error.name) for event in refused} == {(REFUSAL, REFUSAL_NAME)}
    assert not [event for event in errors[:REFUSED] if event.error.code == -1], "only closing gives up without a code"
    assert all(event.error.type and not event.error.retriable for event in refused)
    assert {event.partition for event in seen.of("refused", pb.ACKED)} == {1}


@every_driver
def test_events_come_in_batches_and_pings_are_answered_at_once(family: Family, version: Version) -> None:
    seen = transcript(family, version)
    assert max(seen.batches) <= 256
    assert len(seen.batches) < sum(seen.batches)
    assert seen.ping_median_s < PING_S


@every_driver
def test_a_driver_ends_with_its_standard_input(family: Family, version: Version) -> None:
    assert transcript(family, version).exit_s < EXIT_S
