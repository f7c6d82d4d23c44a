"""Files as people have them: several interfaces and sections, joined captures, pipes, ends and odd times."""

from __future__ import annotations

import io
import os
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.wiring.diagnosis import diagnose_files
from probe.diagnose.findings import Status
from probe.diagnose.input.file_set import open_inputs
from probe.errors import ProbeError
from probe.model import Request
from tests.support.inputs import read
from tests.support.packets import (
    COOKED,
    ETHERNET,
    RAW,
    START,
    Packet,
    Talk,
    framed,
    ordinary,
    pcap,
    pcapng,
    produce,
    produced,
)
from tests.support.protocol_wire import plain, request, response

SECTION, INTERFACE, ENHANCED, STATISTICS = 0x0A0D0D0A, 1, 6, 5
Interface = tuple[int, int]
"""Link type, digits of a second."""


def block(kind: int, body: bytes, order: str) -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def section(packets: Sequence[Packet], interfaces: Sequence[Interface], order: str = "<") -> bytes:
    """Return a section whose packets come from its interfaces in turn."""
    out = [block(SECTION, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)]
    out += [
        block(INTERFACE, struct.pack(order + "HHIHHB3xI", link, 0, 0, 9, 1, digits, 0), order)
        for link, digits in interfaces
    ]
    for place, one in enumerate(packets):
        number = place % len(interfaces)
        link, digits = interfaces[number]
        data = framed(link, one.data)
        high, low = divmod(one.at * 10**digits // 10**6, 1 << 32)
        out.append(block(ENHANCED, struct.pack(order + "IIIII", number, high, low, len(data), len(data)) + data, order))
    return b"".join(out)


def ends_at(at: int, order: str = "<") -> bytes:
    """Return the statistics of an interface, as dumpcap writes them at the end of a capture."""
    high, low = divmod(at, 1 << 32)
    return block(STATISTICS, struct.pack(order + "IIIHHIIHH", 0, high, low, 3, 8, high, low, 0, 0), order)


def seen_in(folder: Path, data: bytes) -> list[int]:
    path = folder / "a.pcapng"
    path.write_bytes(data)
    return [event.at for event in read(path).events if isinstance(event, Request)]


WHOLE = [START + 3000 + 2000 * number for number in range(4)]


def test_every_interface_has_its_link_type_and_its_unit_of_time(tmp_path: Path) -> None:
    interfaces = ((ETHERNET, 6), (RAW, 9), (COOKED, 7))
    assert seen_in(tmp_path, section(ordinary().packets, interfaces)) == WHOLE


def test_every_section_has_its_byte_order_and_its_interfaces(tmp_path: Path) -> None:
    packets = ordinary().packets
    joined = section(packets[:5], ((ETHERNET, 6), (RAW, 9))) + section(packets[5:], ((COOKED, 6),), ">")
    assert seen_in(tmp_path, joined) == WHOLE


def test_a_packet_of_an_interface_that_is_not_described_ends_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pcapng"
    data = section(ordinary().packets, ((ETHERNET, 6), (ETHERNET, 6)))
    path.write_bytes(data[:60] + data[92:])
    assert read(path).left == {"not read to its end: a packet does not fit its block": 1}


def until(path: Path) -> int:
    with open_inputs([str(path)]) as found:
        list(found.events())
        return found.watched(START)


def test_the_end_of_a_capture_is_that_of_its_last_packet_of_any_kind(tmp_path: Path) -> None:
    path, packets = tmp_path / "a.pcapng", ordinary().packets
    path.write_bytes(pcapng([*packets, Packet(START + 9_000_000, b"\x45" + bytes(40))]))
    assert until(path) == START + 9_000_000


@pytest.mark.parametrize(("at", "end"), [(START + 30_000_000, 30_000_000), (1 << 63, 0), (5, 0)])
def test_a_capture_may_say_when_it_ended(at: int, end: int, tmp_path: Path) -> None:
    path, packets = tmp_path / "a.pcapng", ordinary(2).packets
    path.write_bytes(pcapng(packets) + ends_at(at))
    assert until(path) == max(packets[-1].at, START + end)


def test_an_impossible_time_is_that_of_the_packet_before(tmp_path: Path) -> None:
    packets = list(ordinary().packets)
    packets[3] = Packet(1 << 62, packets[3].data)
    times = seen_in(tmp_path, pcapng(packets))
    assert times == [START + 2000, *WHOLE[1:]]


def test_joined_captures_whose_times_go_back_are_named(tmp_path: Path) -> None:
    path = tmp_path / "joined.pcapng"
    late = [Packet(one.at + 60_000_000, one.data) for one in ordinary(client=("10.0.0.9", 40_009)).packets]
    path.write_bytes(pcapng(late) + pcapng(ordinary().packets))
    found = read(path)
    (reason,) = found.left
    assert "earlier than those before them" in reason
    assert len(found.requests) == 8


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    """As with `<(ssh host cat capture.pcap)`."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    feeder = threading.Thread(target=path.write_bytes, args=(pcap(ordinary().packets),))
    feeder.start()
    done = CliRunner().invoke(app, ["diagnose", str(path), "--results", str(tmp_path / "none")])
    feeder.join(20)
    assert "1 client" in done.output


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize(
    ("stream", "said"), [(Terminal, "standard input is a terminal"), (closed, "is closed"), (lambda: None, "is closed")]
)
def test_a_standard_input_that_has_nothing_is_refused_in_one_line(
    stream: Callable[[], object], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", stream())
    with pytest.raises(ProbeError, match=said) as refused, open_inputs(["-"]):
        pass
    assert "\n" not in str(refused.value)


def test_an_empty_standard_input_is_called_that(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "nothing"
    path.write_bytes(b"")
    with path.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        with pytest.raises(ProbeError, match="standard input is empty"), open_inputs(["-"]):
            pass


def test_files_of_several_kinds_are_read_together(tmp_path: Path) -> None:
    one, two = tmp_path / "a.pcap", tmp_path / "b.pcapng"
    one.write_bytes(pcap(ordinary().packets))
    two.write_bytes(section(ordinary(client=("10.0.0.9", 40_009)).packets, ((RAW, 6),)) + ends_at(START + 5_000_000))
    found = diagnose_files([str(one), str(two)], lambda *_: None, 0)
    assert [client.key.address for client in found.clients] == ["10.0.0.7", "10.0.0.9"]
    assert found.until == START + 5_000_000


def test_two_files_whose_clocks_differ_do_not_say_that_nobody_asked(tmp_path: Path) -> None:
    """The capture at the old leader is 100 ms ahead of that at the broker which the client asks."""
    paths = [tmp_path / "old-leader.pcap", tmp_path / "asked.pcap"]
    for path, packets in zip(paths, moving(ahead_us=100_000), strict=True):
        path.write_bytes(pcap(packets))
    (client,) = diagnose_files([str(path) for path in paths], lambda *_: None, 0).clients
    assert client.status is Status.RECOVERED
    assert client.worst is not None
    assert client.worst.asked is not None
    assert (client.worst.asked.count, client.worst.asked.unknown) == (
        0,
        "it asked 98 ms before, by the clock of a file that may be of another host",
    )


def moving(ahead_us: int) -> tuple[list[Packet], list[Packet]]:
    """Return the packets at both brokers of a client that is refused by one, asks the other, and works there."""
    old, new = Talk(broker=("10.0.0.1", 9092)).open(), Talk(client=("10.0.0.7", 40_002), broker=("10.0.0.2", 9092))
    new.at = old.at
    new.open()
    for corr in range(5):
        old.ask(produce(corr)).answer(produced(corr, 0))
    old.at += 20_000
    old.ask(produce(5)).answer(produced(5, 6))
    new.at = old.at + 1000
    asked = plain(3, 9, "Request", Topics=[{"Name": "orders"}])
    parts = [{"PartitionIndex": 2, "LeaderId": 2, "LeaderEpoch": 4}]
    answered = plain(3, 9, "Response", Topics=[{"Name": "orders", "Partitions": parts}])
    new.ask(request(3, 9, asked, client_id="shop", corr=0)).answer(response(3, 9, answered, corr=0))
    for corr in range(1, 20):
        new.ask(produce(corr)).answer(produced(corr, 0))
        new.at += 200_000
    return [replace(one, at=one.at + ahead_us) for one in old.packets], new.packets


@pytest.mark.parametrize("hours", [1, 24_000], ids=["an hour", "years"])
def test_the_end_of_a_capture_is_no_silence_where_another_begins_later(hours: int, tmp_path: Path) -> None:
    first, second = tmp_path / "early.pcap", tmp_path / "late.pcap"
    talk = Talk().open()
    for corr in range(30):
        talk.ask(produce(corr)).answer(produced(corr, 6 if corr == 9 else 0))
        talk.at += 200_000
    talk.ask(produce(30))
    later = ordinary(client=("10.0.0.9", 40_009)).packets
    first.write_bytes(pcap(talk.packets))
    second.write_bytes(pcap([replace(one, at=one.at + hours * 3_600_000_000) for one in later]))
    found = diagnose_files([str(first), str(second)], lambda *_: None, 0)
    assert {one.key.address: one.status for one in found.clients}["10.0.0.7"] is Status.RECOVERED
    (trouble,) = next(one.findings for one in found.clients if one.key.address == "10.0.0.7")
    assert trouble.silent == 0


def test_rotated_captures_are_one_recording(tmp_path: Path) -> None:
    """A client that is silent in the second file is silent."""
    paths = [tmp_path / "a.pcap", tmp_path / "b.pcap"]
    talk = Talk().open()
    for corr in range(30):
        talk.ask(produce(corr)).answer(produced(corr, 6 if corr == 9 else 0))
        talk.at += 200_000
    talk.ask(produce(30))
    others = ordinary(client=("10.0.0.9", 40_009)).packets
    later = [replace(one, at=one.at - START + talk.at + 5_000_000) for one in others]
    for path, packets in zip(paths, (talk.packets, later), strict=True):
        path.write_bytes(pcap(packets))
    found = diagnose_files(list(map(str, paths)), lambda *_: None, 0)
    (trouble,) = next(one.findings for one in found.clients if one.key.address == "10.0.0.7")
    assert trouble.silent == 1


def test_a_file_that_is_not_there_is_named_once_with_the_reason() -> None:
    with pytest.raises(ProbeError) as raised, open_inputs(["nothere.pcap"]):
        pass
    assert str(raised.value).startswith("nothere.pcap: No such file or directory; name captures")
