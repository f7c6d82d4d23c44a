"""`probe diagnose --keylog`: captures over TLS, whose sessions this test makes itself, decrypted by tshark."""

from __future__ import annotations

import contextlib
import json
import os
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from probe.access import Access
from probe.cli.app import app
from probe.diagnose.input.decryption import pcap_head, plain_packets
from probe.diagnose.input.segments import segment
from probe.model.security import Security
from probe.run_credentials import run_credentials
from tests.support.fetched_tools import debian_program
from tests.support.packets import ACK, BROKER, CLIENT, PSH, RAW, START, End, Packet, Talk, ordinary, pcap, tcp

TLS_PORT = 9093
SAID = ("address", "client_id", "status", "connections", "connections_opened", "brokers", "requests", "bytes")
VERSIONS = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)


@pytest.fixture(scope="module")
def access() -> Iterator[Access]:
    security = Security.parse("SSL")
    with run_credentials([security]) as found:
        yield found[security]


@pytest.fixture
def tshark(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = debian_program("tshark", "tshark").parent
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


class Session:
    """A TLS session between two buffers. Its bytes are packets, its keys are in a key log."""

    def __init__(self, access: Access, version: ssl.TLSVersion, keylog: Path, talk: Talk) -> None:
        context = ssl.create_default_context(cadata=access.authority)
        context.minimum_version = context.maximum_version = version
        context.keylog_filename = str(keylog)
        assert access.server is not None
        self.talk = talk.open()
        self.to_client, self.to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.of_client, self.of_server = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.client = context.wrap_bio(self.to_client, self.of_client, server_hostname="127.0.0.1")
        self.server = access.server.wrap_bio(self.to_server, self.of_server, server_side=True)
        for side in (self.client, self.server) * 3:
            with contextlib.suppress(ssl.SSLWantReadError):
                side.do_handshake()
            self.move()

    def move(self) -> None:
        """Let the packets of both sides arrive."""
        if data := self.of_client.read():
            self.talk.ask(data)
            self.to_server.write(data)
        if data := self.of_server.read():
            self.talk.answer(data)
            self.to_client.write(data)

    def ask(self, data: bytes) -> None:
        self.client.write(data)
        self.move()

    def answer(self, data: bytes) -> None:
        self.server.write(data)
        self.move()


def encrypted(access: Access, version: ssl.TLSVersion, keylog: Path, plain: Talk) -> Talk:
    """Return a connection whose requests and answers are those of a plain one, over TLS."""
    session = Session(access, version, keylog, Talk(client=plain.client, broker=(plain.broker[0], TLS_PORT)))
    for side, data in spoken(plain):
        (session.answer if side else session.ask)(data)
    return session.talk.close()


def spoken(plain: Talk) -> Iterator[tuple[bool, bytes]]:
    """Yield what both sides of a connection over IPv4 said, and whether it was the broker."""
    for packet in plain.packets:
        head = 20 + (packet.data[32] >> 4) * 4
        if data := packet.data[head:]:
            yield packet.data[20:22] == plain.broker[1].to_bytes(2, "big"), data


def diagnose(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["diagnose", *arguments])


@pytest.mark.usefixtures("tshark")
@pytest.mark.parametrize("version", VERSIONS)
def test_a_decrypted_capture_is_diagnosed_like_a_plain_one(
    tmp_path: Path, access: Access, version: ssl.TLSVersion
) -> None:
    keylog, capture = tmp_path / "keys", tmp_path / "a.pcap"
    plain = ordinary()
    capture.write_bytes(pcap(encrypted(access, version, keylog, plain).packets))
    without = diagnose(str(capture))
    assert "what could be Kafka is encrypted; name its keys (--keylog)" in str(without.exception)
    done = diagnose(str(capture), "--json", "--keylog", str(keylog))
    assert f"{capture}: 1 of 1 connection over TLS decrypted by {keylog}" in done.stderr
    (tmp_path / "plain.pcap").write_bytes(pcap(plain.packets))
    expected = diagnose(str(tmp_path / "plain.pcap"), "--json")
    assert str(done.exception) == str(expected.exception)
    assert _clients(done) == _clients(expected)


def _clients(done: Result) -> list[dict[str, Any]]:
    """Return what is said of each client, without times, which the handshake delays, and the broker's port."""
    found = json.loads(done.stdout.replace(f":{TLS_PORT}", ":9092"))["clients"]
    assert found
    return [{key: value for key, value in one.items() if key in SAID} for one in found]


@pytest.mark.usefixtures("tshark")
def test_connections_without_keys_stay_encrypted_and_plain_ones_plain(tmp_path: Path, access: Access) -> None:
    keylog, capture = tmp_path / "keys", tmp_path / "a.pcap"
    read = encrypted(access, ssl.TLSVersion.TLSv1_3, keylog, ordinary(client=("10.0.0.8", 40_001)))
    other = encrypted(access, ssl.TLSVersion.TLSv1_3, tmp_path / "lost", ordinary(client=("10.0.0.9", 40_001)))
    plain = ordinary(client=("10.0.0.10", 40_001))
    packets = sorted([*read.packets, *other.packets, *plain.packets], key=lambda one: one.at)
    capture.write_bytes(pcap(packets))
    done = diagnose(str(capture), "--keylog", str(keylog), "--all")
    assert f"{capture}: 1 of 2 connections over TLS decrypted by {keylog}" in done.stderr
    assert "10.0.0.8" in done.stdout
    assert "10.0.0.10" in done.stdout
    assert "10.0.0.9" not in done.stdout
    assert "encrypted (TLS)" in done.stdout
    assert str(capture) in done.stdout
    assert "kafka-metadata-probe-" not in done.stdout  # the temporary capture's folder


def test_without_tshark_there_is_one_line_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path))
    (tmp_path / "a.pcap").write_bytes(pcap(ordinary().packets))
    done = diagnose(str(tmp_path / "a.pcap"), "--keylog", str(tmp_path / "keys"))
    assert done.exit_code != 0
    assert str(done.exception) == (
        "tshark is not on this machine; install it, such as Debian's package tshark; or record the brokers' request "
        "logs instead"
    )


@pytest.mark.usefixtures("tshark")
@pytest.mark.parametrize(
    ("paths", "keylog", "reason"),
    [
        (["a.pcap"], "none", "No such file or directory; name a key log (NSS format)"),
        (["-"], "keys", "standard input can be read once only; write it to a file"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, paths: list[str], keylog: str, reason: str) -> None:
    (tmp_path / "a.pcap").write_bytes(pcap(ordinary().packets))
    (tmp_path / "keys").write_text("")
    named = [path if path == "-" else str(tmp_path / path) for path in paths]
    done = diagnose(*named, "--keylog", str(tmp_path / keylog))
    assert done.exit_code != 0
    assert reason in str(done.exception)
    assert "\n" not in str(done.exception)


@pytest.mark.parametrize("ends", [(CLIENT, BROKER), (("fd00::7", 40_001), ("fd00::1", 9093))])
@pytest.mark.parametrize("readable", [True, False])
def test_a_line_of_tshark_is_a_packet_of_either_protocol(ends: tuple[End, End], readable: bool) -> None:
    (client, port), (broker, broker_port) = ends
    addresses = [client, "", str(port), broker, "", str(broker_port)]
    if ":" in client:
        addresses = ["", client, str(port), "", broker, str(broker_port)]
    line = "\t".join(["1700000000.000250000", "3", *addresses, "7", "11", "0x0018", "1603", "68,69"])
    (record,) = plain_packets([line, "no packet"], frozenset({"3"} if readable else ()))
    numbers, data = ((0, 0), b"hi") if readable else ((7, 11), b"\x16\x03")
    sent, expected = record[16:], tcp(*ends, *numbers, PSH | ACK, data)
    assert segment(RAW, sent, 0, len(sent), len(sent)) == segment(RAW, expected, 0, len(expected), len(expected))
    assert pcap_head() + record == pcap([Packet(START + 250, sent)], RAW)
