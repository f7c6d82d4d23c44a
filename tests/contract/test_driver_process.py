"""A driver process accepts new instances only if closed ones left no threads, and ends if it answers nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from probe.driver_contract import driver_pb2 as pb
from probe.drivers import process as driver_process
from probe.drivers.host import Bound, Host
from probe.drivers.launch import Launch
from probe.drivers.process import DriverProcess, RunningInstance
from probe.model import Client
from probe.model.endpoint import Endpoint
from probe.ports import Start
from probe.processes.children import GRACE_S
from tests.support.deadlines import LONGEST_S
from tests.unit.test_children import state

START = Start(
    instance="one",
    client_id="one",
    role="producer",
    profile="isolated",
    properties={},
    bootstrap=[Endpoint(host="127.0.0.1", port=1)],
    topic="t",
    partitions=[0],
)


async def ignore(_message: pb.ToDriver) -> None:
    """Collect the messages that the process would send."""


async def has_room_after(left: str) -> bool:
    """Return whether a process accepts more instances after one ended, with or without leftovers."""
    process = DriverProcess(Client("demo", "1.0"), 4)

    async def stream() -> AsyncIterator[pb.FromDriver]:
        ended = pb.Event(instance="one", kind=pb.CLOSED, text=left)
        yield pb.FromDriver(events=pb.Events(events=[ended]))
        process.release(instance)
        rooms.append(process.room())

    rooms: list[bool] = []
    process.reserve()
    instance = process.start(START, lambda _event: None)
    await process.serve(pb.Hello(family="demo", version="1.0"), stream(), ignore)
    return rooms[0]


@pytest.mark.parametrize(("left", "room"), [("", True), ("still running: network-thread", False)])
def test_a_process_with_leftover_threads_is_retired(left: str, *, room: bool) -> None:
    assert asyncio.run(has_room_after(left)) is room


async def died_after_check(*, answers: bool) -> tuple[str, str]:
    """Check one of two instances of a process that answers pings or does not; return why each died."""
    process = DriverProcess(Client("demo", "1.0"), 4)
    asked: asyncio.Queue[int] = asyncio.Queue()

    async def write(message: pb.ToDriver) -> None:
        if answers and message.HasField("ping"):
            asked.put_nowait(message.ping.id)

    async def stream() -> AsyncIterator[pb.FromDriver]:
        while True:
            yield pb.FromDriver(pong=pb.Pong(id=await asked.get(), clock_us=1))

    starts = (START, replace(START, instance="two"))
    one, other = [process.start(start, lambda _event: None) for start in starts]
    serving = asyncio.create_task(process.serve(pb.Hello(family="demo", version="1.0"), stream(), write))
    await one.check()
    died = (one.died, other.died)
    serving.cancel()
    return died


def test_a_process_that_answers_no_ping_is_lost_with_all_its_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_process, "ANSWER_S", 0.2)
    one, other = asyncio.run(died_after_check(answers=False))
    assert "answered nothing" in one
    assert one == other


def test_a_process_that_answers_is_kept() -> None:
    assert asyncio.run(died_after_check(answers=True)) == ("", "")


PLAYS = 5
"""Plays until a question of time is decided: a busy machine may delay one of them."""
STUBBORN = "import sys, time; sys.stderr.write('up'); time.sleep(600)"
"""A process that ignores the end of its standard input."""


def test_a_finished_version_ends_its_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def attached(_process: DriverProcess, _timeout_s: float) -> None: ...

    async def ended(process: DriverProcess) -> None:
        assert process._child is not None  # no driver sends it here
        async with asyncio.timeout(LONGEST_S):
            assert await process._child.process.wait() == -signal.SIGKILL

    monkeypatch.setattr(DriverProcess, "attached", attached)

    async def play() -> None:
        done, other = Client("demo", "1.0"), Client("demo", "2.0")
        stubborn = Bound(Launch((sys.executable, "-c", STUBBORN), "demo"), 2)
        async with Host({done: stubborn, other: stubborn}) as host:
            clients = (done, done, done, other)
            busy, also, empty, kept = [await host._process(client, alone=False) for client in clients]
            assert busy is also
            empty.release(instance_of(empty))
            kept.release(instance_of(kept))
            host.finish(done)
            await ended(empty)
            busy.release(instance_of(busy))
            assert not busy.room()
            await asyncio.sleep(0.2)
            assert busy._child is not None
            os.kill(busy._child.pid, 0)
            busy.release(instance_of(busy))
            await ended(busy)
            assert kept.room()
            assert await host._process(done, alone=False) not in (empty, busy)

    def instance_of(process: DriverProcess) -> RunningInstance:
        instance = process.start(START, lambda _event: None)
        instance.ended.set()
        return instance

    asyncio.run(play())


def test_a_host_ends_all_processes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted run has dozens of processes; ending them one by one would take too long."""
    pids: list[int] = []

    async def attached(process: DriverProcess, _timeout_s: float) -> None:
        assert process._child is not None  # no driver sends it here
        pids.append(process._child.pid)

    monkeypatch.setattr(DriverProcess, "attached", attached)

    async def end() -> float:
        clients = {
            Client("demo", f"{n}.0"): Bound(Launch((sys.executable, "-c", STUBBORN), "demo"), 1) for n in range(6)
        }
        async with Host(clients) as host:
            for client in clients:
                await host._process(client, alone=False)  # no instance is needed
            began = time.monotonic()
        return time.monotonic() - began

    # one by one they take six times as long, at any speed; together, a busy machine adds its delay
    assert any(asyncio.run(end()) < 2.5 * GRACE_S for _ in range(PLAYS))
    assert len(set(pids)) == len(pids) >= 6
    deadline = time.monotonic() + LONGEST_S
    while any(map(state, pids)) and time.monotonic() < deadline:  # a dead process is reaped a little later
        time.sleep(0.1)
    assert not any(map(state, pids))


WRITES = "import pathlib, sys, time; pathlib.Path(sys._xoptions['folder'], 'kept').touch(); time.sleep(600)"
"""A process that writes into the folder of its temporary files, and removes nothing."""


def test_what_a_killed_process_left_in_its_folder_is_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def kept() -> list[Path]:
        return [*tmp_path.glob("*/kept")]

    async def attached(_process: DriverProcess, _timeout_s: float) -> None:
        async with asyncio.timeout(LONGEST_S):
            while not kept():  # noqa: ASYNC110  # a file is polled, there is no event
                await asyncio.sleep(0.01)

    monkeypatch.setattr(DriverProcess, "attached", attached)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def play() -> None:
        client = Client("demo", "1.0")
        launch = Launch((sys.executable, "-c", WRITES), "demo", folder_option="-Xfolder=")
        async with Host({client: Bound(launch, 1)}) as host:
            process = await host._process(client, alone=False)
            assert process._child is not None  # it writes
            os.kill(process._child.pid, signal.SIGKILL)
            assert kept()

    asyncio.run(play())
    assert not [*tmp_path.iterdir()]
