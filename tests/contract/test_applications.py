"""Promises of the drivers of whole applications (proto/driver.proto), and the verdict on a real one."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import read_families
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.provision import provision
from probe.model import Stored
from tests.support.application_orders import order, stored_in
from tests.support.deadlines import LONGEST_S
from tests.support.driver_host import ENDINGS, Driver, driving
from tests.support.fake_brokers import Brokers, brokers
from tests.support.real_cells import planned, play
from tests.support.shared_runs import result_of, run_once

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
READERS = {"kcat": "consumer", "telegraf": "group"}
INVENTED: dict[str, dict[str, Any]] = {
    "sorcerer": {"role": "sorcerer"},
    "wishful": {"profile": "wishful"},
    "invented.setting": {"properties": {"invented.setting.of.nobody": "1"}},
    "pipelined": {"workload": "pipelined"},
    "keyed": {"workload": "keyed", "keys": ["a"]},
}
UNKNOWN_TO = {"kcat": "invented.setting", "telegraf": "outputs.kafka.invented_by_nobody"}
TELEGRAF = f"telegraf@{read_families(CLIENTS)['telegraf'].versions[-1].version}"
"""The newest listed release alone: each takes minutes to build, once per cache."""
BUILD_S = 1200
DEADLINE_MS = 5000
RECORDS = 10

applications = pytest.mark.parametrize(
    "client",
    [
        pytest.param("kcat@1.7.1-2.8.0", marks=pytest.mark.xdist_group("kcat")),
        pytest.param(TELEGRAF, marks=[pytest.mark.xdist_group("telegraf"), pytest.mark.timeout(BUILD_S)]),
    ],
)
pytestmark = pytest.mark.real


@dataclass
class Transcript:
    """One run of a driver: its events, and the records of the cluster."""

    hello: pb.Hello
    events: dict[str, list[pb.Event]] = field(default_factory=dict)
    stored: list[Stored] = field(default_factory=list)
    close_s: dict[str, float] = field(default_factory=dict)
    orphans: set[int] = field(default_factory=set)

    def of(self, instance: str, *kinds: pb.Kind.ValueType) -> list[pb.Event]:
        return [event for event in self.events[instance] if event.kind in kinds]


def transcript(client: str) -> Transcript:
    """Return the run shared by all tests of an application; skip if no registry has it for this machine."""
    family, _, version = client.partition("@")
    return result_of(_play(family, version))


@functools.cache
def _play(family_name: str, version_name: str) -> Transcript | Exception:
    return run_once(_run(family_name, version_name))


async def _run(family_name: str, version_name: str) -> Transcript:
    family = read_families(CLIENTS)[family_name]
    version = family.find(version_name)
    assert version is not None
    launch = await asyncio.to_thread(provision, family, version)
    async with brokers() as cluster, driving(launch) as driver:
        assert driver.hello is not None
        assert driver.process is not None
        seen = Transcript(driver.hello)
        await cluster.topic("written")
        await cluster.topic("fed", feed_ms=50)
        _start(driver, cluster, "writer")
        _start(driver, cluster, "reader", role=READERS[family_name], topic="fed")
        for name, odd in INVENTED.items():
            _start(driver, cluster, name, **odd)
        _start(driver, cluster, "refused", properties={UNKNOWN_TO[family_name]: "1"})
        await driver.until(lambda: _worked(driver))
        children = _children(driver.process.pid)
        _start(driver, cluster, "killed")
        await driver.until(lambda: len(driver.of("killed", pb.SENT)) > 3)
        (child,) = _children(driver.process.pid) - children
        os.kill(child, signal.SIGKILL)
        await driver.until(lambda: driver.of("killed", pb.FATAL))
        _start(driver, cluster, "left")
        await driver.until(lambda: len(driver.of("left", pb.SENT)) > 3)
        for name in ("writer", "reader"):
            seen.close_s[name] = await driver.stop(name, DEADLINE_MS)
        seen.stored = await stored_in(cluster)
        seen.events = {name: driver.of(name) for name in ("writer", "reader", "killed", "refused", *INVENTED)}
        seen.orphans = await _orphans(driver)
        return seen


def _start(driver: Driver, cluster: Brokers, name: str, **odd: Any) -> None:
    driver.start(**order(name, cluster.bootstrap, **({"group": f"group-{name}"} | odd)))


def _worked(driver: Driver) -> bool:
    wanted = [("writer", pb.SENT, 4 * RECORDS), ("reader", pb.RECEIVED, 2 * RECORDS), ("refused", pb.UNSUPPORTED, 1)]
    wanted += [(name, pb.UNSUPPORTED, 1) for name in INVENTED]
    return all(len(driver.of(name, kind)) >= count for name, kind, count in wanted)


def _children(parent: int) -> set[int]:
    """Return the processes that a process has started."""
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(re.sub(r".*\) ", "", place.read_text()).split()[1]) == parent:
                found.add(int(place.parent.name))
    return found


async def _orphans(driver: Driver) -> set[int]:
    """Close the driver's standard input; return the children that are still alive afterwards."""
    assert driver.process is not None
    assert driver.process.stdin is not None
    children = _children(driver.process.pid)
    assert children  # of the instance that was left
    driver.process.stdin.close()
    await asyncio.wait_for(driver.process.wait(), LONGEST_S)
    for _ in range(100):
        if not any(map(_lives, children)):
            break
        await asyncio.sleep(0.05)
    return {pid for pid in children if _lives(pid)}


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] not in "ZX"
    except OSError:
        return False


@applications
def test_hello_agrees_with_client_toml(client: str) -> None:
    hello = transcript(client).hello
    family = read_families(CLIENTS)[client.partition("@")[0]]
    assert f"{hello.family}@{hello.version}" == client
    assert set(hello.roles) == set(family.roles)
    assert set(hello.profiles) == set(family.profiles)


@applications
@pytest.mark.parametrize("word", [*INVENTED, "refused"])
def test_invented_names_are_unsupported(client: str, word: str) -> None:
    events = transcript(client).events[word]
    endings = [event for event in events if event.kind in ENDINGS]
    assert [event.kind for event in endings] == [pb.UNSUPPORTED]
    assert (word if word != "refused" else UNKNOWN_TO[client.partition("@")[0]]) in endings[0].text


@applications
@pytest.mark.parametrize("name", ["writer", "reader"])
def test_ready_comes_first_and_the_end_within_its_deadline(client: str, name: str) -> None:
    seen = transcript(client)
    kinds = [event.kind for event in seen.events[name]]
    assert kinds[0] == pb.READY
    assert [kind for kind in kinds if kind in ENDINGS] == [pb.CLOSED]
    assert seen.close_s[name] <= DEADLINE_MS / 1000 + 0.1
    settings = dict(seen.events[name][0].settings)
    assert all(value for value in settings.values())
    assert int(settings["request_timeout_ms"]) > 0
    if name == "writer":
        assert settings["acks"] == "all"


@applications
@pytest.mark.parametrize("partition", [0, 1])
def test_records_reach_their_partition_and_none_is_acked(client: str, partition: int) -> None:
    seen = transcript(client)
    sent = [event for event in seen.of("writer", pb.SENT) if event.partition == partition]
    assert [event.sequence for event in sent] == list(range(len(sent)))
    gaps = [(b.clock_us - a.clock_us) / 1000 for a, b in itertools.pairwise(sent)]
    assert sorted(gaps)[len(gaps) // 2] == pytest.approx(100, abs=30)
    assert not seen.of("writer", pb.ACKED, pb.SEND_ERROR)
    written = [item.sequence for item in seen.stored if (item.partition, item.instance) == (partition, "writer")]
    assert written[: len(sent) - 3] == list(range(len(sent) - 3))


@applications
def test_records_are_read_completely(client: str) -> None:
    for partition in (0, 1):
        received = [event for event in transcript(client).of("reader", pb.RECEIVED) if event.partition == partition]
        numbers = [int(event.value.split(" ")[2]) for event in received]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert all(event.value.split(" ")[:2] == ["feed", str(partition)] for event in received)


@applications
def test_a_killed_application_is_fatal_and_leaves_no_process(client: str) -> None:
    seen = transcript(client)
    (ending,) = [event for event in seen.events["killed"] if event.kind in ENDINGS]
    assert ending.kind == pb.FATAL
    assert ending.text or ending.error.text
    assert seen.orphans == set()


def _judged(client: str, role: str) -> Iterator[tuple[str, str]]:
    transcript(client)  # or skip
    for history, verdict in play([planned(client, "disk/storage-error", role)]):
        assert history.header.judged_by == "wire"
        yield verdict.outcome.value, verdict.facts.refresh_trigger.value if verdict.facts.refresh_trigger else ""


@applications
def test_a_real_application_finds_the_new_leader(client: str) -> None:
    assert list(_judged(client, "producer")) == [("refreshes", "error")]
