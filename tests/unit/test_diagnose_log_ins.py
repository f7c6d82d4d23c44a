"""Clients that are not let in: refused log-ins, sessions that end, TLS against plaintext, and storms of connections."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.wiring.diagnosis import diagnose_files
from probe.diagnose.diagnosis import Diagnosis
from probe.diagnose.findings import ClientFinding, Status
from probe.diagnose.objects import Kind
from probe.errors import GateError
from probe.protocol import apis
from tests.support.packets import BROKER, START, Packet, Talk, pcap, produce, produced
from tests.support.protocol_wire import framed, plain, request, response

Read = Callable[[Iterable[Packet]], Diagnosis]
HELLO = b"\x16\x03\x01\x00\xf0\x01" + bytes(239)
ALERT = bytes.fromhex("15030300020250")
"""Bytes that brokers of 4.4 answer to plaintext at a listener with TLS: fatal, internal_error."""
SECOND = 1_000_000


@pytest.fixture
def capture(tmp_path: Path) -> Callable[[Iterable[Packet]], Path]:
    def of(packets: Iterable[Packet]) -> Path:
        path = tmp_path / "one.pcap"
        path.write_bytes(pcap(sorted(packets, key=lambda one: one.at)))
        return path

    return of


@pytest.fixture
def read(capture: Callable[[Iterable[Packet]], Path]) -> Read:
    return lambda packets: diagnose_files([str(capture(packets))], lambda *_: None, 0)


def only(found: Diagnosis) -> ClientFinding:
    (client,) = found.clients
    return client


def connection(number: int, at: int) -> Talk:
    return Talk(client=("10.0.0.7", 40_000 + number), at=START + at).open()


def greets(talk: Talk, version: int = 0) -> Talk:
    talk.ask(request(18, version, plain(18, version, "Request"), corr=1, client_id="shop"))
    return talk.answer(response(18, version, plain(18, version, "Response"), corr=1))


def logs_in(talk: Talk, *, code: int = 0, session_ms: int = 0, handshake: int = 0, corr: int = 2) -> Talk:
    asked = plain(apis.SASL_HANDSHAKE, 1, "Request", Mechanism="PLAIN")
    talk.ask(request(apis.SASL_HANDSHAKE, 1, asked, corr=corr, client_id="shop"))
    answer = plain(apis.SASL_HANDSHAKE, 1, "Response", ErrorCode=handshake, Mechanisms=["PLAIN"])
    talk.answer(response(apis.SASL_HANDSHAKE, 1, answer, corr=corr))
    if handshake:
        return talk
    asked = plain(apis.SASL_AUTHENTICATE, 2, "Request", AuthBytes=b"\0user\0password")
    talk.ask(request(apis.SASL_AUTHENTICATE, 2, asked, corr=corr + 1, client_id="shop"))
    answer = plain(apis.SASL_AUTHENTICATE, 2, "Response", ErrorCode=code, SessionLifetimeMs=session_ms)
    return talk.answer(response(apis.SASL_AUTHENTICATE, 2, answer, corr=corr + 1))


def works(talk: Talk, first: int = 10, count: int = 4) -> Talk:
    for corr in range(first, first + count):
        talk.ask(produce(corr)).answer(produced(corr, code=0))
    return talk


def packets(talks: Iterable[Talk]) -> list[Packet]:
    return [packet for talk in talks for packet in talk.packets]


@pytest.mark.parametrize(("count", "pause"), [(1, SECOND), (81, SECOND // 4)], ids=["once", "on and on"])
def test_a_wrong_password_is_a_finding(read: Read, count: int, pause: int) -> None:
    found = read(packets(logs_in(greets(connection(n, n * pause)), code=58).reset() for n in range(count)))
    client = only(found)
    assert (client.status, client.reason) == (Status.REFUSED, "its log-in is refused with SASL_AUTHENTICATION_FAILED")
    assert client.worst is not None
    assert (client.worst.item.kind, client.worst.cuts) == (Kind.LOG_IN, 0)
    assert [(one.code, one.count) for one in client.worst.errors] == [(58, count)]
    assert [(one.code, one.count) for one in found.brokers[0].refused] == [(58, count)]


def test_a_mechanism_that_the_broker_lacks_is_a_finding(read: Read) -> None:
    client = only(read(logs_in(greets(connection(1, 0)), handshake=33).close().packets))
    assert client.reason == "its log-in is refused with UNSUPPORTED_SASL_MECHANISM"


def test_the_second_answer_of_a_log_in_decides(read: Read) -> None:
    """SCRAM: the broker's first answer has no error, whatever the password is."""
    talk = logs_in(greets(connection(1, 0)))
    asked = plain(apis.SASL_AUTHENTICATE, 2, "Request", AuthBytes=b"c=biws,p=x")
    talk.ask(request(apis.SASL_AUTHENTICATE, 2, asked, corr=9, client_id="shop"))
    refused = plain(apis.SASL_AUTHENTICATE, 2, "Response", ErrorCode=58)
    client = only(read(talk.answer(response(apis.SASL_AUTHENTICATE, 2, refused, corr=9)).close().packets))
    assert client.status is Status.REFUSED


def test_a_client_that_logs_in_before_every_request_is_refused_though_it_works_between(read: Read) -> None:
    """KafkaJS with sessions of 5 s: the second log-in within a second is refused with ILLEGAL_SASL_STATE."""
    talks = []
    for number in range(40):
        talk = works(logs_in(greets(connection(number, number * SECOND // 2)), session_ms=5000), count=1)
        talks.append(logs_in(talk, handshake=34, corr=20).reset())
    client = only(read(packets(talks)))
    assert client.status is Status.REFUSED
    assert client.reason == "its log-in is refused with ILLEGAL_SASL_STATE, although it is let in between"
    assert [one.item.kind for one in client.findings] == [Kind.LOG_IN]


def test_a_password_that_is_put_right_is_a_recovery(read: Read) -> None:
    bad = [logs_in(greets(connection(n, n * SECOND)), code=58).reset() for n in range(5)]
    good = logs_in(greets(connection(9, 6 * SECOND)))
    for turn in range(4):
        good.at += SECOND
        works(good, first=10 + 4 * turn)
    client = only(read(packets([*bad, good])))
    assert client.status is Status.RECOVERED
    assert client.worst is not None
    assert client.worst.item.kind is Kind.LOG_IN


def test_tokens_without_headers_that_end_the_connection_are_a_refused_log_in(read: Read) -> None:
    """Before SaslAuthenticate (1.0) a broker said no by ending the connection."""
    talk = connection(1, 0)
    asked = plain(apis.SASL_HANDSHAKE, 0, "Request", Mechanism="PLAIN")
    talk.ask(request(apis.SASL_HANDSHAKE, 0, asked, corr=2, client_id="shop"))
    talk.answer(response(apis.SASL_HANDSHAKE, 0, plain(apis.SASL_HANDSHAKE, 0, "Response"), corr=2))
    client = only(read(talk.ask(framed(b"\0user\0password")).reset().packets))
    assert client.status is Status.REFUSED
    assert client.reason.startswith("the broker ends its connections during the log-in")


def test_the_session_that_a_broker_grants_is_named(capture: Callable[[Iterable[Packet]], Path]) -> None:
    talk = works(logs_in(greets(connection(1, 0)), session_ms=5000))
    talk.at = START + 5_100_000
    talk.ask(produce(30)).reset()
    after = works(logs_in(greets(connection(2, 5_200_000)), session_ms=5000))
    after.at += 2 * SECOND
    works(after, first=40)
    done = CliRunner().invoke(app, ["diagnose", str(capture(packets([talk, after]))), "--all"])
    assert (
        "log-in by PLAIN; the broker grants a session of 5.0 s, and ended 1 connection of which it was over"
        in done.stdout
    )


@pytest.mark.parametrize("count", [1, 30])
def test_a_plaintext_client_at_a_listener_with_tls_is_a_mismatch(read: Read, count: int) -> None:
    talks = []
    for number in range(count):
        talk = connection(number, number * SECOND)
        talk.ask(request(18, 3, plain(18, 3, "Request"), corr=1, client_id="shop")).answer(ALERT).close()
        talks.append(talk)
    client = only(read(packets(talks)))
    assert (client.key.client_id, client.status) == ("shop", Status.MISMATCH)
    assert client.reason == "it speaks plaintext, and the listener answers with a TLS alert"
    assert client.storm == ""


def test_a_client_hello_without_an_answer_is_a_mismatch(read: Read) -> None:
    healthy = works(greets(Talk(client=("10.0.0.8", 41_000)).open()))
    found = read(packets([healthy, connection(1, SECOND).ask(HELLO).reset()]))
    client = next(one for one in found.clients if one.key.address == "10.0.0.7")
    assert (client.status, client.opened) == (Status.MISMATCH, 1)
    assert client.reason == "it speaks TLS, and its ClientHello gets no answer, as at a plaintext listener"
    assert found.left == ()


def test_a_client_hello_that_is_answered_is_encrypted(read: Read) -> None:
    found = read(connection(1, 0).ask(HELLO).answer(b"\x16\x03\x03\x00\x50" + bytes(80)).reset().packets)
    assert (found.clients, [one.reason for one in found.left]) == ((), ["encrypted (TLS)"])


def test_hundreds_of_connections_are_a_mismatch_and_a_storm(capture: Callable[[Iterable[Packet]], Path]) -> None:
    """librdkafka 2.16.0 in plaintext at a listener with TLS: 847 connections in 45 s."""
    talks = []
    for number in range(847):
        talk = connection(number, number * 53_000)
        talk.ask(request(18, 3, plain(18, 3, "Request"), corr=1, client_id="shop")).answer(ALERT).close()
        talks.append(talk)
    done = CliRunner().invoke(app, ["diagnose", str(capture(packets(talks)))])
    assert isinstance(done.exception, GateError)
    assert "mismatch   10.0.0.7 shop" in done.stdout
    assert "storm: opened " in done.stdout
    assert str(BROKER[1]) in done.stdout
