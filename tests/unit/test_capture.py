"""Captures: the bytes that the relay forwarded, in pcapng files that tshark reads as Kafka."""

from __future__ import annotations

import asyncio
import json
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.wiring.captures import Captures, keeper
from probe.model import Cell, Closed, Event, Opened, Request, Response
from probe.model.endpoint import Endpoint
from probe.protocol.apis import HEARTBEAT
from probe.protocol.tcp_packets import LONGEST
from probe.relay import Relay
from probe.relay.capture import CLIENT_PORTS, Capture, ConnectionCapture, pcapng
from probe.relay.redaction import ANSWER, ASK
from probe.site import Source, build
from probe.store import read_capture
from tests.support import site_data
from tests.support.fetched_tools import debian_program
from tests.support.protocol_wire import plain, request, schemas
from tests.support.real_cells import capturing, planned, play
from tests.support.relay_peers import Broker, Client, client, of, until
from tests.support.synthetic_rows import CELL, create, history, verdict


@dataclass(frozen=True)
class Packet:
    at: int
    source: int
    target: int
    seq: int
    ack: int
    flags: int
    data: bytes
    comment: str


def blocks(file: bytes) -> Iterator[tuple[int, bytes]]:
    """Read a pcapng file and check that every block has the same length at both ends."""
    at = 0
    while at < len(file):
        kind, size = struct.unpack_from("<II", file, at)
        assert size % 4 == 0
        assert struct.unpack_from("<I", file, at + size - 4) == (size,)
        yield kind, file[at + 8 : at + size - 4]
        at += size


def options(data: bytes) -> dict[int, bytes]:
    found, at = {}, 0
    while at < len(data):
        code, size = struct.unpack_from("<HH", data, at)
        if code == 0:
            break
        found[code] = data[at + 4 : at + 4 + size]
        at += 4 + size + -size % 4
    return found


def packets(file: bytes) -> list[Packet]:
    found = []
    for kind, body in blocks(file):
        if kind != 6:
            continue
        interface, high, low, size, whole = struct.unpack_from("<IIIII", body)
        assert (interface, size) == (0, whole)
        raw = body[20 : 20 + size]
        assert struct.unpack_from(">H", raw, 2) == (size,)
        source, target, seq, ack, _, flags = struct.unpack_from(">HHIIBB", raw, 20)
        comment = options(body[20 + size + -size % 4 :]).get(1, b"").decode()
        found.append(Packet((high << 32) + low, source, target, seq, ack, flags, raw[40:], comment))
    return found


def tape(*pieces: tuple[int, int, bytes], conn: int = 1, port: int = 40_000, by: str = "client") -> ConnectionCapture:
    return ConnectionCapture(conn, 2, port, "probe-1", 10, 900, by, list(pieces))


def test_a_file_has_its_time_unit_and_every_byte_in_order() -> None:
    big = bytes(range(256)) * 300
    file = pcapng([tape((20, ASK, b"abc"), (30, ANSWER, big), (40, ASK, b"d"))], "cell x", 1_700_000_000_000_000)
    kinds = [kind for kind, _ in blocks(file)]
    assert kinds[:2] == [0x0A0D0D0A, 1]
    assert set(kinds[2:]) == {6}
    section, interface = (body for _, body in list(blocks(file))[:2])
    assert struct.unpack_from("<IHHq", section) == (0x1A2B3C4D, 1, 0, -1)
    assert options(section[16:])[1].decode().startswith("cell x\n")
    assert "-d tcp.port==40000,kafka" in options(section[16:])[1].decode()
    assert options(interface[8:])[9] == b"\x06"
    found = packets(file)
    requests = b"".join(one.data for one in found if one.target == 40_000)
    responses = b"".join(one.data for one in found if one.source == 40_000)
    assert (requests, responses) == (b"abcd", big)
    assert all(len(one.data) <= LONGEST for one in found)
    assert [one.at - 1_700_000_000_000_000 for one in found] == [10, 10, 10, 20, 30, 30, 30, 40, 900, 900]
    assert found[0].comment == "connection 1 to broker 2, client id probe-1"


def test_sequence_and_acknowledgement_numbers_are_consistent() -> None:
    found = packets(pcapng([tape((20, ASK, b"abc"), (30, ANSWER, b"defgh"), (40, ASK, b"i"))], ""))
    sent = {40_000: 0}
    for one in found:
        assert one.seq == sent.setdefault(one.source, 0)
        sent[one.source] += len(one.data) + bool(one.flags & 0x03)
        assert one.ack == (sent[one.target] if one.flags & 0x10 else 0)
    assert [one.flags for one in found] == [0x02, 0x12, 0x10, 0x18, 0x18, 0x18, 0x11, 0x11]


@pytest.mark.parametrize(
    ("by", "flags", "from_relay"),
    [("client", [0x11, 0x11], False), ("broker", [0x11, 0x11], True), ("relay", [0x14], True)],
)
def test_the_last_packets_show_which_side_closed(by: str, flags: list[int], from_relay: bool) -> None:
    found = [one for one in packets(pcapng([tape(by=by)], "")) if one.at == 900]
    assert [one.flags for one in found] == flags
    assert (found[0].source == 40_000) is from_relay
    assert by in found[0].comment


def test_a_capture_over_its_limit_is_cut_with_a_note() -> None:
    capture = Capture(schemas(), limit=2 << 20)
    one = capture.begin(1, 1, 40_000)
    for at in range(4):
        capture.take(one, at, ASK, b"\x7f" * (1 << 20))
    file = capture.hand_out()
    assert file is not None
    assert b"Only the first 2 MiB were captured." in file("x")
    assert sum(len(packet.data) for packet in packets(file("x"))) == 2 << 20


def test_every_cohort_member_gets_its_own_packets_once() -> None:
    names = ("a-1", "a-1-b", "a-12")
    asked = [request(3, 1, plain(3, 1, "Request"), client_id=name) for name in names]
    capture = Capture(schemas(), limit=100)
    for conn, name in enumerate(names, 1):
        one = capture.begin(conn, 1, 40_000)
        one.client_id = name
        capture.take(one, conn, ASK, asked[conn - 1])
    mine = packets(capture.hand_out(["a-1"])("x"))
    assert [packet.data for packet in mine if packet.data] == asked[:2]
    rest = packets(capture.hand_out()("x"))
    assert [packet.data for packet in rest if packet.data] == asked[2:]
    again = capture.begin(9, 1, 40_000)
    capture.take(again, 1, ASK, bytes(100))
    assert b"Only the first" not in capture.hand_out()("x")


def talk(story: Callable[[Relay, Client], Any]) -> tuple[bytes, list[Event], int]:
    """Exchange messages through a relay that captures; return the file, the events and the port of the relay."""

    async def whole() -> tuple[bytes, list[Event], int]:
        broker, events = Broker(), list[Event]()
        server = await asyncio.start_server(broker.serve, "127.0.0.1", 0)
        async with server, Relay(brokers=(1,), sink=events.append, schemas=schemas(), capture=True) as relay:
            relay.forward(1, Endpoint(host="127.0.0.1", port=server.sockets[0].getsockname()[1]))
            async with client(relay) as one:
                await story(relay, one)
            await until(lambda: of(Closed, events))
            file = relay.captured()
            assert file is not None
            for writer in broker.writers:
                writer.close()
            return file("a test"), events, relay.address(1).port

    return asyncio.run(whole())


async def _three_questions(_: Relay, one: Client) -> None:
    await one.ask(version=1)
    await one.ask(HEARTBEAT, 2)
    await one.ask(version=9)


def test_packets_have_the_times_of_the_events() -> None:
    before = time.time()
    file, events, port = talk(_three_questions)
    found = packets(file)
    asked = b"".join(one.data for one in found if one.target == port)
    assert struct.unpack_from(">hhi", asked, 4) == (3, 1, 1)
    (opened,), (closed,) = of(Opened, events), of(Closed, events)
    assert found[-1].at - found[0].at == closed.at - opened.at
    stamped = {event.at - opened.at for event in events if isinstance(event, Request | Response)}
    assert {one.at - found[0].at for one in found if one.data} == stamped
    assert before - 1 <= found[0].at / 1e6 <= time.time() + 1


def test_a_relay_without_capture_returns_none() -> None:
    assert Relay(brokers=(), sink=print, schemas=schemas()).captured() is None


def test_tshark_reads_the_same_requests_and_responses(tmp_path: Path) -> None:
    file, events, port = talk(_three_questions)
    path = tmp_path / "trial.pcapng"
    path.write_bytes(file)
    fields = ("kafka.api_key", "kafka.api_version", "kafka.correlation_id", "kafka.client_id")
    layers = _tshark(path, port, "-Y", "kafka", "-T", "json")
    found = [packet["_source"]["layers"]["kafka"] for packet in json.loads(layers)]
    asked = [tuple(one[name] for name in fields) for one in found if "kafka.client_id" in one]
    assert asked == [(str(e.api), str(e.version), str(e.corr), e.client_id) for e in of(Request, events)]
    responses = [one["kafka.correlation_id"] for one in found if "kafka.client_id" not in one]
    assert responses == [str(event.corr) for event in of(Response, events)]


@pytest.mark.real
def test_tshark_reads_every_request_of_a_real_client(tmp_path: Path) -> None:
    files: list[bytes] = []
    ((seen, _),) = play([planned("sarama@1.43.3", "disk/storage-error")], change=capturing(files))
    path = tmp_path / "trial.pcapng"
    path.write_bytes(files[-1])
    ports = {port for one in packets(files[-1]) for port in (one.source, one.target) if port not in CLIENT_PORTS}
    decode = [word for port in ports for word in ("-d", f"tcp.port=={port},kafka")]
    fields = ("-T", "fields", "-e", "kafka.api_key", "-e", "kafka.correlation_id")
    lines = _tshark(path, min(ports), *decode, "-Y", "kafka.client_id", *fields).splitlines()
    pairs = [pair for line in lines for pair in zip(*(part.split(",") for part in line.split("\t")), strict=True)]
    assert sorted(pairs) == sorted((str(event.api), str(event.corr)) for event in of(Request, list(seen.events)))
    assert len(pairs) > 30


def test_tshark_finds_no_malformed_packet(tmp_path: Path) -> None:
    path = tmp_path / "trial.pcapng"
    odd = [tape((20, ASK, b"abc"), (30, ANSWER, bytes(100_001)), (40, ASK, b"d"), by="relay"), tape(conn=70_000)]
    path.write_bytes(pcapng(odd, "cell", 1_700_000_000_000_000))
    checks = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
    wrong = "tcp.analysis.flags || tcp.checksum.status == 0 || ip.checksum.status == 0 || _ws.malformed"
    assert _tshark(path, 1, *checks, "-Y", wrong) == ""
    valid = _tshark(
        path,
        1,
        *checks,
        "-Y",
        "tcp.checksum.status == 1 && ip.checksum.status == 1",
        "-T",
        "fields",
        "-e",
        "frame.time_epoch",
    )
    assert len(valid.splitlines()) == len(packets(path.read_bytes()))
    assert valid.splitlines()[0].startswith("1700000000.000010")


def _tshark(path: Path, port: int, *arguments: str) -> str:
    argv = [str(debian_program("tshark", "tshark")), "-r", str(path), "-d", f"tcp.port=={port},kafka", *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def test_show_extracts_the_capture_of_a_trial(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history(CELL, 0), verdict())
        store.add(history(CELL, 1), verdict())
        keeper(str(tmp_path), store.run_id)(CELL, 0, lambda comment: comment.encode())
    stored = read_capture(str(tmp_path), store.run_id, CELL, 0)
    assert stored == f"{CELL}, trial 0 of run {store.run_id}".encode()
    arguments = ["show", "--results", str(tmp_path), "--scenario", CELL.scenario]
    done = CliRunner().invoke(app, [*arguments, "--trial", "0", "--pcap", str(tmp_path / "out.pcapng")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out.pcapng").read_bytes() == stored
    none = CliRunner().invoke(app, [*arguments, "--trial", "1", "--pcap", str(tmp_path / "other.pcapng")])
    assert "was not captured; run it with --capture" in str(none.exception)
    shut = CliRunner().invoke(app, [*arguments, "--trial", "0", "--pcap", str(tmp_path / "no" / "x")])
    assert "cannot be written" in str(shut.exception)


def test_a_capture_that_cannot_be_stored_does_not_fail_the_trial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run_id=r1").write_text("in the way")
    keeper(str(tmp_path), "r1")(CELL, 0, lambda _: b"x")
    assert "the capture of sarama@1.43.3" in capsys.readouterr().err


def test_a_cell_page_links_its_captures_and_keeps_them(tmp_path: Path) -> None:
    rows = [row for row in site_data.matrix() if Cell.of(row) == site_data.CHANGED]
    matrix = site_data.write_matrix(tmp_path / "m.csv", rows)
    asked: list[int] = []

    def capture(_run: str, _cell: Cell, trial: int) -> bytes | None:
        asked.append(trial)
        return b"packets" if trial == 0 else None

    source = Source(site_data.trials, site_data.histories, lambda _run: "same", capture)
    site = build(matrix, source, tmp_path).parent
    (page,) = (site / "cell").glob("*.html")
    name = f"{page.stem}-0.pcapng"
    assert [path.name for path in (site / "cell").glob("*.pcapng")] == [name]
    assert (site / "cell" / name).read_bytes() == b"packets"
    assert f'<a href="{name}" download>' in page.read_text()
    asked.clear()
    build(matrix, source, tmp_path)
    assert asked == []
    assert (site / "cell" / name).read_bytes() == b"packets"


def test_captures_are_found_by_run_and_trial(tmp_path: Path) -> None:
    find = Captures(str(tmp_path))
    assert find("r1", CELL, 0) is None
    keeper(str(tmp_path), "r2")(CELL, 0, lambda _: b"x")
    assert find("r2", CELL, 0) == b"x"
    assert find("r2", CELL, 1) is None
    assert find("", CELL, 0) is None
