"""Real brokers that end TLS themselves: their stores, their settings, and what a fault changes of both."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.access import RIGHT, Access
from probe.engines.kafka import tls_stores
from probe.engines.kafka.cluster.java_command import write_logging
from probe.engines.kafka.cluster.listener_security import is_of_clients, secure
from probe.engines.kafka.faults import handshakes
from probe.engines.kafka.ports import FaultTarget
from probe.model.cluster import Nodes
from probe.model.endpoint import Endpoint
from probe.model.security import Security
from probe.protocol.log_requests import MARK
from probe.run_credentials import run_credentials
from probe.scenarios.steps.handshakes import Flaw, SpoilHandshakes

KEYS, TRUST = f"{tls_stores.KEYS}.location", f"{tls_stores.TRUST}.location"
ASKING = Security.parse("SSL/CLIENT-AUTH")
PROTOCOLS = "listener.security.protocol.map"


@pytest.fixture(scope="module")
def accesses() -> Iterator[Mapping[Security, Access]]:
    with run_credentials([ASKING, Security.parse("SSL"), Security.parse("SASL_SSL/SCRAM-SHA-512")]) as found:
        yield found


def broker(folder: Path) -> Any:
    write_logging(folder)
    return SimpleNamespace(settings={PROTOCOLS: "EXT:PLAINTEXT,INT:PLAINTEXT"}, environment={}, folder=folder)


@pytest.mark.parametrize("text", ["SSL", "SSL/CLIENT-AUTH", "SASL_SSL/SCRAM-SHA-512"])
def test_broker_ends_tls_itself(tmp_path: Path, accesses: Mapping[Security, Access], text: str) -> None:
    security, one = Security.parse(text), broker(tmp_path)
    secure(one, accesses[security], "4.4.0", own_tls=True)
    assert one.settings[PROTOCOLS] == f"EXT:{security.protocol},INT:PLAINTEXT"
    assert ("listener.name.ext.ssl.client.auth" in one.settings) is security.client_auth
    assert (TRUST in one.settings) is security.client_auth
    assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.pem")} == {0o600}
    for name in ("log4j.properties", "log4j2.properties"):
        assert "kafka.request.logger" in (tmp_path / name).read_text()


def test_relay_ends_tls_elsewhere(tmp_path: Path, accesses: Mapping[Security, Access]) -> None:
    one = broker(tmp_path)
    secure(one, accesses[ASKING], "4.4.0")
    assert one.settings == {PROTOCOLS: "EXT:PLAINTEXT,INT:PLAINTEXT"}
    assert not list(tmp_path.glob("*.pem"))


def test_a_flaw_changes_one_store_only(tmp_path: Path, accesses: Mapping[Security, Access]) -> None:
    tls_stores.write(tmp_path, accesses[ASKING])
    right, expired, refused = (
        tls_stores.locations(tmp_path, name) for name in (RIGHT, str(Flaw.EXPIRED), str(Flaw.CLIENT_REFUSED))
    )
    assert (expired[TRUST], refused[KEYS]) == (right[TRUST], right[KEYS])
    assert expired[KEYS] != right[KEYS]
    assert refused[TRUST] != right[TRUST]
    assert tls_stores.certificate(tmp_path, str(Flaw.CLIENT_REFUSED)) == tls_stores.certificate(tmp_path, RIGHT)
    assert tls_stores.certificate(tmp_path, str(Flaw.EXPIRED)) != tls_stores.certificate(tmp_path, RIGHT)
    assert [tls_stores.trusts_clients(tmp_path, name) for name in (RIGHT, Flaw.EXPIRED, Flaw.CLIENT_REFUSED)] == [
        *(True, True, False)
    ]


def test_requests_of_clients_are_distinguished_from_others() -> None:
    assert is_of_clients(f'DEBUG {MARK}{{"listener":"EXT"}}')
    assert not is_of_clients(f'DEBUG {MARK}{{"listener":"INT"}}')
    assert not is_of_clients('INFO "listener":"EXT"')


def target(folder: Path, port: int) -> Any:
    forwarded: dict[int, int] = {}
    relay = SimpleNamespace(
        passage=SimpleNamespace(meant=False),
        forward=lambda node, address: forwarded.update({node: address.port}),
        forwarded=forwarded,
    )
    one = SimpleNamespace(
        folder=folder,
        internal=Endpoint(host="127.0.0.1", port=1),
        external=Endpoint(host="127.0.0.1", port=port),
    )
    marks: list[str] = []
    cluster = SimpleNamespace(relay=relay, nodes=Nodes((1,)), brokers={1: one}, emit=lambda *a, **_: marks.append(a[0]))
    return FaultTarget(cluster=cluster, subjects=[SimpleNamespace(old=1)], election_ms=0)  # type: ignore[list-item]


def test_closed_handshakes_are_those_of_a_listener_without_tls(tmp_path: Path) -> None:
    async def story() -> None:
        one, step = target(tmp_path, 2), SpoilHandshakes(by=Flaw.CLOSED)
        await handshakes.spoil(step, one)
        assert set(one.cluster.relay.forwarded.values()) == {1}
        assert one.cluster.relay.passage.meant
        assert one.marked
        await handshakes.mend(step, one)
        assert set(one.cluster.relay.forwarded.values()) == {2}
        assert not one.cluster.relay.passage.meant

    asyncio.run(story())


@pytest.mark.parametrize("flaw", [Flaw.EXPIRED, Flaw.CLIENT_REFUSED])
def test_fault_waits_until_the_stores_are_in_force(
    tmp_path: Path, accesses: Mapping[Security, Access], monkeypatch: pytest.MonkeyPatch, flaw: Flaw
) -> None:
    tls_stores.write(tmp_path, accesses[ASKING])
    context = serving(tls_stores.locations(tmp_path, RIGHT))
    asked: list[Mapping[str, str]] = []
    in_force: list[bool] = []

    async def alter(_: object, __: int, config: Mapping[str, str]) -> None:
        def take() -> None:
            later = serving(config)
            context.sni_callback = lambda one, *_: setattr(one, "context", later)
            in_force.append(True)

        asked.append(config)
        asyncio.get_running_loop().call_later(0.2, take)

    async def story() -> None:
        async with asyncio.timeout(20):
            server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
            one = target(tmp_path, server.sockets[0].getsockname()[1])
            one.cluster.brokers[1].internal = Endpoint(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
            await handshakes.spoil(SpoilHandshakes(by=flaw), one)
            assert one.marked
            assert in_force
            server.close()

    monkeypatch.setattr(handshakes, "alter_broker", alter)
    asyncio.run(story())
    assert asked == [tls_stores.locations(tmp_path, str(flaw))]


def serving(stores: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(stores[KEYS])
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(stores[TRUST])
    return context
