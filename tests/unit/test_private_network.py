"""The private network of a run: clients find brokers by name there, the machine is as before, and nothing is left."""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvloop

from probe.cli.wiring.run_selection import RunSelection
from probe.model import CONTROL, Role
from probe.model.endpoint import LOOPBACK, Endpoint
from probe.names import network
from probe.names.namespace import RESOLV
from probe.names.network import missing_network
from probe.names.private_names import PrivateNames, private_names
from probe.ports import discard
from probe.processes.children import child
from tests.support.deadlines import LONGEST_S
from tests.support.marked_processes import left, marked, started

missing = missing_network()
needs_network = pytest.mark.skipif(bool(missing), reason=missing)
LOOK_UP = "import socket; print(socket.gethostbyname({name!r}))"
READ = "import socket; print(socket.create_connection({address!r}).recv(100).decode())"
HOLD = """
import asyncio, sys
from probe.names.private_names import private_names
from probe.processes.children import child
async def main():
    async with private_names() as private, child(private.entered([sys.executable, "-c", "input()"])):
        print("inside", flush=True)
        await asyncio.sleep(1000)
asyncio.run(main())
"""


def inside(story: Callable[[PrivateNames], Coroutine[Any, Any, None]]) -> None:
    """Run a story with a private network, with a deadline."""

    async def whole() -> None:
        async with asyncio.timeout(LONGEST_S), private_names() as private:
            await story(private)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(whole())


async def said(private: PrivateNames, program: str) -> str:
    """Return the first line of a Python program that runs inside."""
    async with child(private.entered([sys.executable, "-c", program])) as running:
        try:
            return await running.read_line(LONGEST_S)
        except EOFError:
            return running.last_words()


@needs_network
def test_a_client_inside_follows_a_name_and_the_machine_does_not_know_it() -> None:
    async def story(private: PrivateNames) -> None:
        with private.hosts(discard) as hosts:
            first = hosts.settle(1)
            look_up = LOOK_UP.format(name=hosts.name(1))
            assert await said(private, look_up) == first
            second = hosts.settle(1)
            assert await said(private, look_up) == second != first
            hosts.hide(1)
            assert "gaierror" in await said(private, look_up)

    before = RESOLV.read_text()
    inside(story)
    assert RESOLV.read_text() == before


@needs_network
def test_a_listener_lies_inside_alone() -> None:
    async def story(private: PrivateNames) -> None:
        with private.hosts(discard) as hosts, hosts.socket() as listening:
            listening.bind((hosts.settle(1), 0))
            listening.listen()
            port = listening.getsockname()[1]

            def greet() -> None:
                peer, _ = listening.accept()
                with peer:
                    peer.sendall(b"hello")

            greeting = asyncio.create_task(asyncio.to_thread(greet))
            assert await said(private, READ.format(address=(hosts.name(1), port))) == "hello"
            await greeting
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((LOOPBACK, port), timeout=LONGEST_S)

    inside(story)


@needs_network
def test_more_sockets_come_when_the_first_are_used_up() -> None:
    async def story(private: PrivateNames) -> None:
        taken = [private.network.socket() for _ in range(2 * network.STOCK + 1)]
        assert len({one.fileno() for one in taken}) == len(taken)
        for one in taken:
            one.close()

    inside(story)


@needs_network
def test_a_program_inside_reaches_the_probe_outside() -> None:
    async def story(private: PrivateNames) -> None:
        async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"from outside\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(greet, LOOPBACK, 0) as server:
            port = server.sockets[0].getsockname()[1]
            address = private.reached(Endpoint(host=LOOPBACK, port=port))
            assert await said(private, READ.format(address=(address.host, address.port))) == "from outside"

    inside(story)


@needs_network
def test_a_killed_run_leaves_nothing() -> None:
    before = Path("/proc/self/mounts").read_text()
    with started([sys.executable, "-c", HOLD]) as (process, mark):
        assert process.stdout is not None
        assert process.stdout.readline() == "inside\n"
        deadline = time.monotonic() + LONGEST_S
        while not any("input()" in command for command in marked(mark).values()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
        process.wait()
        assert left(mark) == {}
    assert Path("/proc/self/mounts").read_text() == before


def test_a_machine_without_the_programs_says_which(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_network() == "a private network needs the program unshare (util-linux)"


def test_a_machine_that_refuses_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(argv: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(argv, 1, b"", b"unshare: unshare failed: Operation not permitted\n")

    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "run", refuse)
    reason = "this machine allows no user namespace with mounts (unshare: unshare failed: Operation not permitted)"
    assert missing_network() == reason


def test_scenarios_with_names_are_skipped_where_the_machine_has_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "missing_network", lambda: "no namespaces here")
    asked = RunSelection(clients=["franz-go@1.22.3"], scenarios=["dns/moved", "broker/kill"], roles=[Role.PRODUCER])
    plan, _ = asked.whole()
    assert [(skip.cell.scenario, skip.reason) for skip in plan.skips] == [("dns/moved", "no namespaces here")]
    assert {item.cell.scenario for item in plan.cells} == {CONTROL, "broker/kill"}
    monkeypatch.setattr(network, "missing_network", lambda: "")
    plan, _ = asked.whole()
    assert {item.cell.scenario for item in plan.cells if item.variant.by_name} == {"dns/moved"}


def test_no_machine_is_asked_where_no_scenario_needs_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "missing_network", lambda: pytest.fail("it was asked"))
    plan, _ = RunSelection(clients=["franz-go@1.22.3"], scenarios=["broker/kill"], roles=[Role.PRODUCER]).whole()
    assert plan.cells


def test_prompt_is_longer_by_what_the_runtime_keeps() -> None:
    def prompt_ms(client: str) -> int:
        asked = RunSelection(clients=[client], scenarios=["dns/moved"], roles=[Role.PRODUCER])
        plan, _ = asked.whole()
        return next(item.expectation.prompt_ms for item in plan.cells if item.variant.by_name)

    if missing:
        pytest.skip(missing)
    assert prompt_ms("java@4.4.0") - prompt_ms("franz-go@1.22.3") == 30_000
