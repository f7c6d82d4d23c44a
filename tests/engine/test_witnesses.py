"""The relay's history is compared with two independent witnesses, request by request.

The journal of the brokers (`fake-cluster --log`) is Go code that shares nothing with the relay's decoder. tshark reads
the headers of the same traffic from the loopback interface; the project does not depend on it.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import socket
import subprocess
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from probe.engines.embedded.engine import Embedded
from probe.model import Closed, Folded, History, Request, Response
from probe.ports import RelayPort, Sink
from tests.support.fetched_tools import debian_program
from tests.support.real_cells import planned, play

pytestmark = pytest.mark.real
CELLS = (
    ("librdkafka@2.4.0", "disk/storage-error", "producer"),
    ("librdkafka@2.4.0", "disk/storage-error", "group"),
    ("kafka-python@3.0.12", "net/reset", "consumer"),
)
"""Responses, cut connections and hundreds of requests, from two clients that share no code."""
Header = tuple[int, int, int, str]
"""(API key, version, correlation id, client id)"""
FIELDS = ("tcp.dstport", "kafka.api_key", "kafka.request.version", "kafka.correlation_id", "kafka.client_id")
READY_S = 15.0
SETTLE_S = 1.0


@dataclass
class Journal:
    """The requests and responses that the brokers of one cluster logged."""

    requests: Counter[tuple[int, Header]] = field(default_factory=Counter)
    responses: Counter[tuple[int, Header]] = field(default_factory=Counter)
    client_ids: set[str] = field(default_factory=set)


@dataclass
class Witnesses:
    histories: list[History]
    journals: list[Journal]
    ports: dict[int, int]
    """Relay port to broker id, for all cells."""
    capture: Path | None
    reason: str
    """The reason why there is no capture, or empty."""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Witnesses:
    folder = tmp_path_factory.mktemp("witnesses")
    ports: dict[int, int] = {}

    def watched(engine: Embedded) -> Embedded:
        wrapper = folder / "fake-cluster"
        wrapper.write_text(
            f'#!/bin/sh\nexec {shlex.quote(str(engine.binary))} "$@" --log {shlex.quote(str(folder))}/$$.log\n'
        )
        wrapper.chmod(0o755)

        def open_relay(
            brokers: Sequence[int], sink: Sink, names: dict[bytes, str]
        ) -> AbstractAsyncContextManager[RelayPort]:
            return _recording_ports(engine.open_relay(brokers, sink, names), brokers, ports)

        return replace(engine, binary=wrapper, open_relay=open_relay)

    with capturing(folder / "loopback.pcapng") as (capture, reason):
        played = play([planned(*cell) for cell in CELLS], change=watched)
        time.sleep(SETTLE_S)
    journals = [_read(path) for path in sorted(folder.glob("*.log"))]
    return Witnesses([history for history, _ in played], journals, ports, capture, reason)


@contextlib.asynccontextmanager
async def _recording_ports(
    opening: AbstractAsyncContextManager[RelayPort], brokers: Sequence[int], ports: dict[int, int]
) -> AsyncIterator[RelayPort]:
    async with opening as relay:
        for broker in brokers:
            ports[relay.address(broker).port] = broker
        yield relay


@contextlib.contextmanager
def capturing(file: Path) -> Iterator[tuple[Path | None, str]]:
    """Capture TCP on the loopback interface if possible; yield the file, or the reason why there is none."""
    try:
        tshark = debian_program("tshark", "tshark")
    except pytest.skip.Exception as error:
        yield None, str(error)
        return
    argv = [str(tshark), "-q", "-i", "lo", "-f", "tcp", "-B", "64", "-w", str(file)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        try:
            reason = "" if _captures(file, running) else "this user may not capture on the loopback interface; root may"
            yield (None if reason else file), reason
        finally:
            running.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(10)
            running.kill()


def _captures(file: Path, running: subprocess.Popen[str]) -> bool:
    """Generate traffic until some of it is in the file; return whether it was captured."""
    deadline = time.monotonic() + READY_S
    while running.poll() is None and time.monotonic() < deadline:
        with socket.create_server(("127.0.0.1", 0)) as server, contextlib.suppress(OSError):
            socket.create_connection(server.getsockname(), timeout=1).close()
        time.sleep(0.2)
        if file.exists() and file.stat().st_size > 1000:
            return True
    return False


def _read(path: Path) -> Journal:
    journal = Journal()
    for line in path.read_text().splitlines():
        item = json.loads(line)
        header = (item["api"], item["version"], item["correlation"], item["client_id"])
        (journal.requests if item["what"] == "request" else journal.responses)[item["broker"], header] += 1
        journal.client_ids.add(item["client_id"])
    return journal


def relayed_requests(history: History) -> Counter[tuple[int, Header]]:
    return Counter(
        (item.broker, (item.api, item.version, item.corr, item.client_id))
        for item in history.events
        if isinstance(item, Request)
    )


def relayed_responses(history: History) -> Counter[tuple[int, int, int, int]]:
    return Counter(
        (item.broker, item.api, item.version, item.corr) for item in history.events if isinstance(item, Response)
    )


def ended_unanswered(history: History) -> Counter[tuple[int, Header]]:
    """Return requests on connections that closed before the response: the broker may not have read them."""
    answered = {(item.conn, item.corr) for item in history.events if isinstance(item, Response)}
    closed = {item.conn for item in history.events if isinstance(item, Closed)}
    return Counter(
        (item.broker, (item.api, item.version, item.corr, item.client_id))
        for item in history.events
        if isinstance(item, Request) and item.conn in closed and (item.conn, item.corr) not in answered
    )


def journal_of(seen: Witnesses, history: History) -> Journal:
    (found,) = (item for item in seen.journals if history.header.subject.client_id in item.client_ids)
    return found


cell = pytest.mark.parametrize("number", range(len(CELLS)), ids=["-".join(item[::2]) for item in CELLS])


@cell
def test_the_trial_is_complete_and_has_no_folded_frames(seen: Witnesses, number: int) -> None:
    history = seen.histories[number]
    assert history.header.problems == ()
    assert not any(isinstance(item, Folded) for item in history.events)
    assert sum(relayed_requests(history).values()) > 30


@cell
def test_the_brokers_read_the_requests_of_the_history(seen: Witnesses, number: int) -> None:
    history = seen.histories[number]
    relayed, read = relayed_requests(history), journal_of(seen, history).requests
    assert read - relayed == Counter()
    missing = relayed - read
    assert missing - ended_unanswered(history) == Counter()
    assert sum(missing.values()) <= 6


@cell
def test_the_brokers_wrote_the_responses_of_the_history(seen: Witnesses, number: int) -> None:
    history = seen.histories[number]
    wrote = Counter[tuple[int, int, int, int]]()
    for (broker, (api, version, corr, _)), count in journal_of(seen, history).responses.items():
        wrote[broker, api, version, corr] += count
    relayed = relayed_responses(history)
    assert relayed - wrote == Counter()
    assert sum((wrote - relayed).values()) <= 6  # responses in flight when a connection ended


@cell
def test_tshark_captures_the_same_request_headers(seen: Witnesses, number: int) -> None:
    if seen.capture is None:
        pytest.skip(seen.reason)
    history = seen.histories[number]
    name = history.header.subject.client_id
    wire = Counter({item: count for item, count in on_the_wire(seen).items() if item[1][3] == name})
    relayed = Counter({item: count for item, count in relayed_requests(history).items() if item[1][3] == name})
    assert relayed - wire == Counter()
    unread = wire - relayed  # probably sent as a connection closed, before the relay could read them
    assert {broker for broker, _ in unread} <= {item.broker for item in history.events if isinstance(item, Closed)}
    assert sum(unread.values()) <= 2


def on_the_wire(seen: Witnesses) -> Counter[tuple[int, Header]]:
    """Return the requests to the relay's ports that tshark captured."""
    assert seen.capture is not None
    decode = [item for port in seen.ports for item in ("-d", f"tcp.port=={port},kafka")]
    columns = [item for name in FIELDS for item in ("-e", name)]
    shown = "kafka.client_id"
    argv = [
        str(debian_program("tshark", "tshark")),
        "-r",
        str(seen.capture),
        *decode,
        "-Y",
        shown,
        "-T",
        "fields",
        *columns,
        "-E",
        "separator=|",
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    found = Counter[tuple[int, Header]]()
    for line in done.stdout.splitlines():
        port, *columns = line.split("|")
        for api, version, corr, client in zip(*(column.split(",") for column in columns), strict=True):
            if int(port) in seen.ports:
                found[seen.ports[int(port)], (int(api), int(version), int(corr), client)] += 1
    return found
