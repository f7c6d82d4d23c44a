"""A driver process takes new instances only while nothing of the old ones goes on in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from probe.drivers.process import DriverProcess
from probe.drivers.rpc import driver_pb2 as pb
from probe.model import Client
from probe.ports import Start

START = Start(
    instance="one",
    client_id="one",
    role="producer",
    profile="isolated",
    properties={},
    bootstrap=["127.0.0.1:1"],
    topic="t",
    partitions=[0],
)


async def ignore(_message: pb.ToDriver) -> None:
    """Take what the process would send."""


async def has_room_after(left: str) -> bool:
    """Say whether a process takes more once an instance has ended in it, leaving something or nothing."""
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
def test_a_process_with_leftovers_is_retired(left: str, *, room: bool) -> None:
    assert asyncio.run(has_room_after(left)) is room
