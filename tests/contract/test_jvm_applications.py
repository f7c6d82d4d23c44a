"""Promises of the drivers of spring-kafka, Connect and Streams (proto/driver.proto), and a verdict on each."""

from __future__ import annotations

import asyncio
import functools
import itertools
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.model import Outcome, Stored
from tests.support.application_orders import order, stored_in
from tests.support.driver_host import ENDINGS, Driver, driving
from tests.support.fake_brokers import Brokers, brokers
from tests.support.real_cells import planned, play
from tests.support.shared_runs import result_of, run_once

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
NEWEST = {name: read_families(CLIENTS)[name].newest.version for name in ("spring", "connect", "streams")}
DEADLINE_MS = 5000
RECORDS = 10
ODD: dict[str, dict[str, Any]] = {
    "sorcerer": {"role": "sorcerer"},
    "wishful": {"profile": "wishful"},
    "invented.setting": {"properties": {"invented.setting": "1"}},
}
WRITERS = pytest.mark.parametrize("family", ["spring", "connect"])
EVERY = pytest.mark.parametrize("family", list(NEWEST))
pytestmark = [pytest.mark.real, pytest.mark.xdist_group("jvm-applications"), pytest.mark.timeout(600)]


@dataclass
class Transcript:
    """Reports of the drivers of one application: a process per instance, as a worker of Connect needs."""

    hello: pb.Hello
    events: dict[str, list[pb.Event]] = field(default_factory=dict)
    stored: list[Stored] = field(default_factory=list)
    close_s: dict[str, float] = field(default_factory=dict)

    def of(self, instance: str, *kinds: pb.Kind.ValueType) -> list[pb.Event]:
        return [event for event in self.events[instance] if event.kind in kinds]


def transcript(family: str) -> Transcript:
    """Return the run shared by all tests of an application; skip where its jars cannot be had."""
    return result_of(_play(family))


@functools.cache
def _play(family: str) -> Transcript | Exception:
    return run_once(_run(family))


async def _run(name: str) -> Transcript:
    family = read_families(CLIENTS)[name]
    launch = await asyncio.to_thread(provision, family, family.newest)
    seen = None
    async with brokers() as cluster:
        await cluster.topic("written")
        await cluster.topic("fed", feed_ms=50)
        working = {role: {"role": role, "topic": "written" if role == "producer" else "fed"} for role in family.roles}
        for instance, asked in {**working, **ODD}.items():
            async with driving(launch) as driver:
                assert driver.hello is not None
                seen = seen or Transcript(driver.hello)
                _start(driver, cluster, instance, **asked)
                if instance in ODD:
                    await driver.until(functools.partial(driver.of, instance, *ENDINGS))
                else:
                    commits = instance == "group" and not family.judged_by
                    await driver.until(functools.partial(_works, driver, instance, commits=commits))
                    seen.close_s[instance] = await driver.stop(instance, DEADLINE_MS)
                seen.events[instance] = driver.of(instance)
        assert seen is not None
        seen.stored = await stored_in(cluster)
        return seen


def _works(driver: Driver, instance: str, *, commits: bool) -> bool:
    """Return whether both partitions have had enough records, and a commit where the application reports any."""
    records = Counter(event.partition for event in driver.of(instance, pb.SENT, pb.RECEIVED))
    committed = {event.partition for event in driver.of(instance, pb.COMMITTED)}
    return min(records[0], records[1]) >= 2 * RECORDS and (not commits or committed == {0, 1})


def _start(driver: Driver, cluster: Brokers, name: str, **odd: Any) -> None:
    driver.start(
        **order(name, cluster.bootstrap, **({"role": "group", "topic": "fed", "group": f"group-{name}"} | odd))
    )


@EVERY
def test_hello_agrees_with_client_toml(family: str) -> None:
    hello, listed = transcript(family).hello, read_families(CLIENTS)[family]
    assert (hello.family, hello.version) == (family, NEWEST[family])
    assert set(hello.roles) == set(listed.roles)
    assert set(hello.profiles) == {name for name, span in listed.profiles.items() if span.covers(hello.version)}


@EVERY
@pytest.mark.parametrize("name", ODD)
def test_what_an_application_does_not_have_is_unsupported(family: str, name: str) -> None:
    (ending,) = [event for event in transcript(family).events[name] if event.kind in ENDINGS]
    assert ending.kind == pb.UNSUPPORTED
    assert name in ending.text


@EVERY
def test_ready_comes_first_and_the_end_within_its_deadline(family: str) -> None:
    seen = transcript(family)
    for role, close_s in seen.close_s.items():
        kinds = [event.kind for event in seen.events[role]]
        assert kinds[0] == pb.READY
        assert [kind for kind in kinds if kind in ENDINGS] == [pb.CLOSED]
        assert close_s <= DEADLINE_MS / 1000 + 0.1
        settings = dict(seen.events[role][0].settings)
        assert settings["refresh_ms"] == "3600000"
        assert settings.get("acks", "all") == "all"


@WRITERS
def test_records_reach_their_partition(family: str) -> None:
    seen = transcript(family)
    for partition in (0, 1):
        sent = [event.sequence for event in seen.of("producer", pb.SENT) if event.partition == partition]
        assert sent == list(range(len(sent)))
        written = [item.sequence for item in seen.stored if (item.partition, item.instance) == (partition, "producer")]
        assert written[:RECORDS] == sent[:RECORDS]
    outcomes = seen.of("producer", pb.ACKED, pb.SEND_ERROR)
    assert {event.kind for event in outcomes} == (set() if family == "connect" else {pb.ACKED})


@EVERY
def test_every_record_is_read_once_and_in_order(family: str) -> None:
    for partition in (0, 1):
        read = [event for event in transcript(family).of("group", pb.RECEIVED) if event.partition == partition]
        numbers = [int(event.value.split(" ")[2]) for event in read]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        places = [event.offset for event in read]
        assert set(places) == {-1} if family == "connect" else all(a < b for a, b in itertools.pairwise(places))


@pytest.mark.parametrize("family", ["spring", "streams"])
def test_assignments_and_commits_are_reported(family: str) -> None:
    seen = transcript(family)
    assert next(sorted(event.partitions) for event in seen.of("group", pb.ASSIGNED)) == [0, 1]
    assert {event.partition for event in seen.of("group", pb.COMMITTED)} == {0, 1}


def test_connect_says_what_its_rest_interface_says() -> None:
    notices = [event.text for event in transcript("connect").of("producer", pb.NOTICE)]
    assert "status: connector RUNNING, task RUNNING" in notices


@pytest.mark.parametrize("family", ["spring", "streams"])
def test_one_refused_fetch_ends_an_application_that_its_library_outlives(family: str) -> None:
    transcript(family)  # or skip
    scenario = "blip/fetch/TOPIC_AUTHORIZATION_FAILED"
    for _, verdict in play([planned(f"{family}@{NEWEST[family]}", scenario, "group")]):
        assert verdict.outcome is Outcome.FATAL


def test_connect_finds_the_new_leader() -> None:
    transcript("connect")  # or skip
    for history, verdict in play([planned(f"connect@{NEWEST['connect']}", "disk/storage-error", "producer")]):
        assert history.header.judged_by == "wire"
        assert verdict.outcome is Outcome.REFRESHES
