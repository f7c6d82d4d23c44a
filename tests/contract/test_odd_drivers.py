"""Driver processes that break their contract end a start with one reason, and are not left behind."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping

import pytest

from probe.driver_contract import driver_pb2 as pb
from probe.drivers import host as driver_host
from probe.drivers.clock import Clock
from probe.drivers.conversion import read_value, to_app
from probe.drivers.host import Bound, Host
from probe.drivers.launch import Launch
from probe.drivers.process import DriverProcess
from probe.errors import DriverError
from probe.model import Cell, Client, Engine, Role
from probe.store.rows import events_table, trial_row, trials_table
from tests.contract.test_driver_process import START
from tests.support.deadlines import LONGEST_S
from tests.support.faults import odd_driver
from tests.support.synthetic_rows import history, verdict
from tests.unit.test_children import state

ENDS: Mapping[str, str] = {
    "fails": "the driver process ended with code 9",
    "ends": "the driver process ended with code 0",
    "stranger": "the driver process ended with code 1",
}
"""Ways that end a process before its first instance, with the reason."""
NEVER_ATTACHED = ("silent", "noise", "garbage")


def bound(way: str) -> tuple[Cell, Bound]:
    """Return a cell of a version of its own, and the driver that misbehaves in this way for it."""
    version = f"1.0.{odd_driver.WAYS.index(way)}"
    cell = Cell(
        family="sarama", version=version, role=Role.PRODUCER, profile="isolated", scenario="steady",
        engine=Engine.EMBEDDED, broker="3.9",
    )  # fmt: skip
    argv = ("env", f"ODD_VERSION={version}", sys.executable, odd_driver.__file__, way)
    return cell, Bound(Launch(argv, "odd"), 4)


async def failures(*ways: str) -> dict[str, str]:
    """Start an instance of each driver at once; return the reasons for which they failed."""
    drivers = {way: bound(way) for way in ways}
    clients: dict[Client, Bound] = {cell.client: one for cell, one in drivers.values()}

    async def failure(way: str, host: Host) -> str:
        try:
            async with host.start(drivers[way][0], START, lambda _: None) as instance, asyncio.timeout(LONGEST_S):
                await instance.ended.wait()
                return instance.died
        except DriverError as error:
            return str(error)

    async with Host(clients) as host:
        found = await asyncio.gather(*(failure(way, host) for way in ways))
    return dict(zip(ways, found, strict=True))


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + LONGEST_S
    while any(map(state, pids)) and time.monotonic() < deadline:  # a dead process is reaped a little later
        time.sleep(0.05)
    return not any(map(state, pids))


@pytest.fixture
def pids(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the processes of drivers once they were waited for."""
    found: list[int] = []
    attached = DriverProcess.attached

    async def kept(process: DriverProcess, timeout_s: float) -> None:
        found.append(process.pid)
        await attached(process, timeout_s)

    monkeypatch.setattr(DriverProcess, "attached", kept)
    return found


def test_a_driver_that_ends_is_named_with_its_exit_code(pids: list[int]) -> None:
    found = asyncio.run(failures(*ENDS, "gone"))
    assert all(reason in found[way] for way, reason in ENDS.items()), found
    assert "the driver process ended with code 0" in found["gone"]
    assert len(pids) == len(ENDS) + 1
    assert gone(pids)


def test_a_driver_that_never_attaches_is_killed(pids: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_host, "HELLO_S", 1.0)
    found = asyncio.run(failures(*NEVER_ATTACHED))
    assert all("no Hello within 1 s" in found[way] for way in ("silent", "noise")), found
    assert found["garbage"].startswith("driver of sarama@1.0."), found  # the line that it writes to may break before
    assert len(pids) == len(NEVER_ATTACHED)
    assert gone(pids)
    assert os.getpid() not in pids


EDGES = (-(2**63), -1, 0, 2**31, 2**63 - 1)


@pytest.mark.parametrize("said", EDGES)
@pytest.mark.parametrize("pong", EDGES)
def test_a_trial_is_stored_whatever_times_a_driver_reports(pong: int, said: int) -> None:
    clock = Clock()
    clock.pong(clock.ping(), pong)
    events = [to_app(pb.Event(kind=pb.ACKED, clock_us=at, value=f"i 0 {10**40} 5"), clock) for at in (said, 0, said)]
    told = history(events=tuple(sorted(events, key=lambda event: event.at)), clock_error_us=clock.bound_us)
    assert events_table("run", told).num_rows == len(events)
    assert trials_table([trial_row("run", told, verdict())]).num_rows == 1


@pytest.mark.parametrize("number", ["\u00b2", "\u0663", "1" * 19, "-1", ""])
def test_a_value_whose_number_is_none_of_ours_is_not_ours(number: str) -> None:
    assert read_value(f"i 0 {number} 5") == read_value(f"i 0 5 {number}") == (-1, 0)
    assert read_value("i 0 5 7") == (5, 7)
