"""Captures to events: files, link layers, lost and repeated bytes, connections that began before."""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probe.diagnose.input.file_set import open_inputs
from probe.errors import ProbeError
from probe.model import Opened
from probe.protocol import apis
from probe.protocol.names import api_key
from tests.support import packets as made
from tests.support.inputs import WholeInput, read
from tests.support.packets import ETHERNET, RAW, START, Packet, Talk, ordinary, pcap, pcapng, produce, produced
from tests.support.protocol_wire import plain, request, response

SASL_HANDSHAKE = api_key("SaslHandshake")


@pytest.fixture
def seen(tmp_path: Path) -> Callable[..., WholeInput]:
    def of(*files: bytes) -> WholeInput:
        paths = [tmp_path / f"{number}.cap" for number in range(len(files))]
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
        return read(*paths)

    return of


Reader = Callable[..., WholeInput]
PAIRS = 4
WHOLE = ["Opened", *["Request", "Response"] * PAIRS, "Closed"]


def check_whole(found: WholeInput) -> None:
    assert found.kinds() == WHOLE
    assert found.errors == [""] * 2 * PAIRS
    assert {(row.topic, row.partition, row.code) for event in found.responses for row in event.rows} == {
        ("orders", 2, 6)
    }
    assert [event.at for event in found.requests] == [START + 3000 + 2000 * number for number in range(PAIRS)]
    (connection,) = found.connections.values()
    assert (connection.client_port, connection.began) == (40_001, True)
    assert found.handshakes[1].requests == ((apis.PRODUCE, 9),) * PAIRS


@pytest.mark.parametrize("link", [ETHERNET, made.NULL, made.LOOP, RAW, made.COOKED, made.COOKED_2])
@pytest.mark.parametrize("six", [False, True], ids=["IPv4", "IPv6"])
def test_every_link_layer_is_read(link: int, six: bool, seen: Reader) -> None:
    ends: dict[str, Any] = {"client": ("fd00::7", 40_001), "broker": ("fd00::1", 9092)} if six else {}
    for build in (pcap, pcapng):
        found = seen(build(ordinary(**ends).packets, link))
        check_whole(found)
        assert found.connections[1].broker_address == ("fd00::1:9092" if six else "10.0.0.1:9092")
        assert found.left == {}


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders_and_all_units_of_time_are_read(order: str, seen: Reader) -> None:
    packets = ordinary().packets
    for data in (
        pcap(packets, order=order),
        pcap(packets, order=order, nano=True),
        pcap(packets, order=order, vlan=True),
        pcapng(packets, order=order),
        pcapng(packets, order=order, power=9),
        pcapng(packets, order=order, power=3),
        pcapng(packets, order=order, obsolete=True),
        pcapng(packets, order=order) + pcapng([], order=">" if order == "<" else "<"),
    ):
        check_whole(seen(data))


def test_packed_files_are_read(seen: Reader) -> None:
    check_whole(seen(gzip.compress(pcapng(ordinary().packets))))
    data = pcap(ordinary().packets)
    check_whole(seen(gzip.compress(data[:777]) + gzip.compress(data[777:])))


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for data in (pcap(ordinary().packets), gzip.compress(pcapng(ordinary().packets))):
        path = tmp_path / "piped"
        path.write_bytes(data)
        with path.open("rb") as stream:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
            check_whole(read("-"))


def test_packets_that_were_captured_twice_count_once(seen: Reader) -> None:
    check_whole(seen(pcap(made.twice(ordinary().packets))))


def test_a_capture_at_both_ends_counts_once(seen: Reader) -> None:
    late = [replace(one, at=one.at + 300) for one in ordinary().packets]
    check_whole(seen(pcap(ordinary().packets), pcapng(late, RAW)))


def test_rotated_files_are_one_capture_in_any_order(seen: Reader) -> None:
    packets = ordinary().packets
    parts = [pcap(packets[start : start + 3]) for start in range(0, len(packets), 3)]
    check_whole(seen(*reversed(parts)))


def hello() -> bytes:
    return b"\x16\x03\x01\x00\xf0\x01" + bytes(239)


@pytest.mark.parametrize(
    ("asked", "answered", "reason"),
    [
        (hello(), b"\x16\x03\x03\x00\x50" + bytes(80), "encrypted (TLS)"),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", "not Kafka"),
        (b"SSH-2.0-OpenSSH_9.2p1 Debian\r\n", b"SSH-2.0-x\r\n", "not Kafka"),
        (bytes(200), bytes(50), "not Kafka"),
        (b"\xff" * 200, b"\xff" * 50, "not Kafka"),
        (b"a", b"b", "not Kafka"),
    ],
)
@pytest.mark.parametrize("began", [True, False])
def test_what_is_not_kafka_is_counted(asked: bytes, answered: bytes, reason: str, began: bool, seen: Reader) -> None:
    talk = Talk().open()
    for _ in range(5):
        talk.ask(asked).answer(answered)
    found = seen(pcap([*talk.close().packets[0 if began else 3 :]]))
    assert (found.events, found.connections) == ([], {})
    assert found.left == {reason: 1}


def test_packets_of_other_protocols_are_passed_over(seen: Reader) -> None:
    udp = struct.pack(">BBHHHBBH", 0x45, 0, 28, 1, 0, 64, 17, 0) + bytes(16)
    part = struct.pack(">BBHHHBBH", 0x45, 0, 60, 1, 0x2000, 64, 6, 0) + bytes(48)
    odd = [Packet(START, udp), Packet(START, part), Packet(START, b"\x45"), Packet(START, b"\x60" + bytes(50))]
    found = seen(pcap([*odd, *ordinary().packets]))
    check_whole(found)
    assert found.left == {"in IP fragments": 1}


def test_an_unknown_link_type_is_named(seen: Reader) -> None:
    data = pcap(ordinary().packets)
    found = seen(data[:20] + struct.pack("<I", 105) + data[24:])
    assert found.events == []
    assert list(found.left) == ["of an unknown link type; capture on one interface, or on `any`"]


def test_connections_among_brokers_are_counted(seen: Reader) -> None:
    fetch = plain(apis.FETCH, 11, "Request", ReplicaId=1)
    talk = Talk().open()
    for corr in range(3):
        talk.ask(request(apis.FETCH, 11, fetch, corr=corr, client_id="broker-1-fetcher-0"))
        talk.answer(response(apis.FETCH, 11, plain(apis.FETCH, 11, "Response"), corr=corr))
    found = seen(pcap(talk.close().packets))
    assert (found.events, found.left) == ([], {"among brokers": 1})


def test_nothing_of_records_and_credentials_is_kept(seen: Reader) -> None:
    authenticate = plain(36, 2, "Request", AuthBytes=b"\0alice\0S3cretWord")
    talk = Talk().open().ask(request(36, 2, authenticate, corr=1))
    talk.answer(response(36, 2, plain(36, 2, "Response", AuthBytes=b"S3cretWord"), corr=1))
    talk.ask(produce(2, b"S3cretWord" * 100)).answer(produced(2)).close()
    found = seen(pcap(talk.packets))
    assert len(found.requests) == 2
    assert "S3cretWord" not in repr((found.events, found.connections, found.handshakes, found.left))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\0\1\2\3" * 50, "is neither a capture nor text"),
        (b"hello\n", "has no line of a request log"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"\x1f\x8b\x08 and no more", "while decompressing"),
    ],
)
def test_what_is_no_input_is_refused_in_one_line(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    path.write_bytes(content)
    with pytest.raises(ProbeError, match=said) as refused, open_inputs([str(path)]):
        pass
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ProbeError, match="name captures"), open_inputs([str(path)]):
            pass


def test_progress_ends_with_the_size_of_the_files(tmp_path: Path) -> None:
    path, calls = tmp_path / "a.cap", []
    path.write_bytes(pcap(ordinary().packets))
    with open_inputs([str(path)], progress=lambda done, size: calls.append((done, size))) as found:
        list(found.events())
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)


def test_topic_ids_become_names_once_metadata_has_them(seen: Reader) -> None:
    topic_id = bytes(range(16))
    body = plain(apis.METADATA, 12, "Response", Topics=[{"Name": "orders", "TopicId": topic_id}])
    asked = plain(apis.FETCH, 13, "Request", Topics=[{"TopicId": topic_id, "Partitions": [{"Partition": 1}]}])
    talk = Talk().open().ask(request(apis.FETCH, 13, asked, corr=1))
    talk.answer(response(apis.FETCH, 13, plain(apis.FETCH, 13, "Response"), corr=1))
    talk.ask(request(apis.METADATA, 12, plain(apis.METADATA, 12, "Request"), corr=2))
    talk.answer(response(apis.METADATA, 12, body, corr=2))
    talk.ask(request(apis.FETCH, 13, asked, corr=3))
    found = seen(pcap(talk.packets))
    named = [event.rows[0].topic for event in found.requests if event.api == apis.FETCH]
    assert named[0].startswith("?")
    assert named[1] == "orders"
    assert isinstance(found.events[0], Opened)
