"""A relay that passes TLS through: bytes are unchanged, requests come from the broker's log, alerts name the reason."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from probe.access import RIGHT, Access
from probe.model import Closed, EngineEvent, EngineKind, Event, Opened, Request, Response
from probe.model.clock import now_us
from probe.model.endpoint import Endpoint
from probe.model.security import Security
from probe.protocol.apis import METADATA
from probe.protocol.log_requests import MARK
from probe.protocol.tls_records import TlsRecords
from probe.relay import Backlog, Relay
from probe.relay.sealed_link import SealedLink, at_of
from probe.run_credentials import run_credentials
from probe.scenarios.steps.handshakes import Flaw
from tests.support.deadlines import LONGEST_S
from tests.support.protocol_wire import schemas
from tests.support.relay_peers import Play, of, play, until

__all__ = ["play"]

VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
SAID = b"\0\0\0\x08anything"


@pytest.fixture(scope="module")
def access() -> Iterator[Access]:
    security = Security.parse("SSL/CLIENT-AUTH")
    with run_credentials([security]) as found:
        yield found[security]


def serving(access: Access, folder: Path, keys: str = RIGHT, trust: str | None = None) -> ssl.SSLContext:
    file = folder / "broker.pem"
    file.write_text(access.key_stores[keys])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    if trust is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=access.trust_stores[trust])
    return context


def trusting(access: Access, version: ssl.TLSVersion, *, own: bool = False) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=access.authority)
    context.minimum_version = context.maximum_version = version
    if own:
        context.load_cert_chain(access.certificate_file)
    return context


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(1000):
            writer.write(data)
    writer.close()


@contextlib.asynccontextmanager
async def passing(tls: ssl.SSLContext | None) -> AsyncIterator[tuple[Relay, list[Event]]]:
    events = list[Event]()
    server = await asyncio.start_server(echo, "127.0.0.1", 0, ssl=tls)
    try:
        async with Relay(brokers=(1,), sink=events.append, schemas=schemas(), backlog=Backlog(0.0)) as relay:
            relay.passage.begin()
            relay.forward(1, Endpoint(host="127.0.0.1", port=server.sockets[0].getsockname()[1]))
            yield relay, events
    finally:
        server.close()
        await asyncio.sleep(0.01)


def line(ports: tuple[int, ...], corr: int = 1) -> str:
    header = {"requestApiKey": METADATA, "requestApiVersion": 1, "correlationId": corr, "clientId": "probe-1"}
    values = {
        "requestHeader": {**header, "requestApiKeyName": "METADATA"},
        "request": {"topics": []},
        "response": {"brokers": [], "controllerId": 1, "topics": []},
        "connection": f"127.0.0.1:{ports[0]}-127.0.0.1:{ports[1]}-0-3",
        "totalTimeMs": 1.5,
        "listener": "EXT",
    }
    return f"DEBUG {MARK}{json.dumps(values)}"


async def talk(relay: Relay, tls: ssl.SSLContext) -> None:
    """Connect, have an answer, and end. In a thread: sockets send alerts, event loops do not."""
    await asyncio.to_thread(have_an_answer, relay.address(1), tls)


def have_an_answer(address: Endpoint, tls: ssl.SSLContext) -> None:
    with (
        socket.create_connection((address.host, address.port), timeout=LONGEST_S) as raw,
        tls.wrap_socket(raw, server_hostname=address.host) as sock,
    ):
        sock.sendall(SAID)
        found = b""
        while len(found) < len(SAID):
            piece = sock.recv(len(SAID))
            if not piece:
                raise ConnectionError("it ended")
            found += piece
        assert found == SAID


def failures(events: list[Event]) -> list[EngineEvent]:
    return [event for event in of(EngineEvent, events) if event.kind is EngineKind.HANDSHAKE_FAILED]


@VERSIONS
def test_requests_come_from_the_log(play: Play, access: Access, tmp_path: Path, version: ssl.TLSVersion) -> None:
    async def story() -> None:
        async with passing(serving(access, tmp_path)) as (relay, events):
            await talk(relay, trusting(access, version))
            (link,) = [one for one in relay._links() if isinstance(one, SealedLink)]
            relay.passage.logged(line(link.ports), 10)
            relay.passage.logged(line((link.ports[0], 1)), 10)  # of another connection
            relay.passage.logged(f"DEBUG {MARK}{{broken", 10)
            await until(lambda: of(Closed, events))
            assert [event.client_id for event in of(Request, events)] == ["probe-1"]
            assert [event.controller for event in of(Response, events)] == [1]
            assert [type(event) for event in events] == [Opened, Request, Response, Closed]
            assert relay.counts() == {(1, METADATA): (1, 1)}
            assert relay.dropped() == 0

    play(story)


@VERSIONS
@pytest.mark.parametrize("meant", [False, True])
@pytest.mark.parametrize("flaw", [Flaw.EXPIRED, Flaw.OTHER_NAME, Flaw.OTHER_AUTHORITY])
def test_refused_certificate_is_reported(
    play: Play, access: Access, tmp_path: Path, version: ssl.TLSVersion, meant: bool, flaw: Flaw
) -> None:
    async def story() -> None:
        async with passing(serving(access, tmp_path, str(flaw))) as (relay, events):
            relay.passage.meant = meant
            with pytest.raises(ssl.SSLCertVerificationError):
                await talk(relay, trusting(access, version))
            await until(lambda: of(Closed, events))
            (found,) = failures(events)
            assert (found.value, found.broker) == (int(meant), 1)
            assert found.text.startswith("the client sent an alert: ")

    play(story)


@VERSIONS
def test_refused_client_is_reported(play: Play, access: Access, tmp_path: Path, version: ssl.TLSVersion) -> None:
    async def story() -> None:
        async with passing(serving(access, tmp_path, trust=str(Flaw.CLIENT_REFUSED))) as (relay, events):
            with pytest.raises(OSError, match=r"(?i)ssl|reset|ended|broken"):
                await talk(relay, trusting(access, version, own=True))
            await until(lambda: of(Closed, events))
            assert len(failures(events)) == 1

    play(story)


def test_listener_without_tls_fails_handshakes(play: Play, access: Access) -> None:
    async def story() -> None:
        async with passing(None) as (relay, events):
            with pytest.raises(OSError, match=r"(?i)ssl|tls"):
                await talk(relay, trusting(access, ssl.TLSVersion.TLSv1_3))
            await until(lambda: of(Closed, events))
            assert len(failures(events)) == 1

    play(story)


@pytest.mark.parametrize("size", [1, 2, 5, 6, 7, 1000])
def test_records_are_found_in_pieces_of_any_size(size: int) -> None:
    sent = bytes((22, 3, 1, 0, 3, 1, 2, 3)) + bytes((23, 3, 3, 0, 40, *range(40))) + bytes((21, 3, 3, 0, 2, 2, 48))
    records = TlsRecords()
    for at in range(0, len(sent), size):
        records.feed(sent[at : at + size])
    assert (records.alert, records.plain, records.begun) == ("unknown ca", False, True)


def test_alert_is_what_was_sent_last() -> None:
    records = TlsRecords()
    records.feed(bytes((23, 3, 3, 0, 19, *range(19))))
    assert records.alert == "encrypted"
    records.feed(bytes((23, 3, 3, 0, 20, *range(20))))
    assert not records.alert
    records.feed(b"\0\0\0\x08")
    assert records.plain


def test_time_of_a_line_is_its_own() -> None:
    at = now_us()
    written = datetime.fromtimestamp(time.time() - 0.25, UTC)
    stamp = written.strftime("%Y-%m-%d %H:%M:%S,") + f"{written.microsecond // 1000:03}+0000"
    assert at - 300_000 < at_of(f"{stamp} DEBUG {MARK}", at) < at - 200_000
    assert at_of(f"DEBUG {MARK}", at) == at
