"""Handshakes that fail on purpose: the relay's certificate is flawed for a while, or it ends them itself."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import pytest

from probe.access import Access, secure_relay
from probe.engines.embedded.handshakes import spoil
from probe.errors import EngineError
from probe.model import Closed
from probe.relay import Relay
from probe.scenarios.steps.handshakes import Flaw, SpoilHandshakes
from probe.scenarios.steps.logins import CutAllConnections
from tests.support.relay_peers import Play, connect, of, play, relayed, until
from tests.unit.test_relay_tls import Peer, access, failures, trusting

__all__ = ["access", "play"]


def tries(relay: Relay, access: Access) -> str:
    """Connect once; return the class of the failure, or that it answered."""
    try:
        with Peer(relay, trusting(access)) as peer:
            peer.ask()
    except (OSError, AssertionError) as error:
        return type(error).__name__
    return "answered"


@pytest.mark.parametrize("flaw", [Flaw.EXPIRED, Flaw.OTHER_NAME, Flaw.OTHER_AUTHORITY])
def test_a_flawed_certificate_is_refused_until_it_is_mended(play: Play, access: Access, flaw: Flaw) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            spoil(relay, [CutAllConnections(), SpoilHandshakes(by=flaw)], access)
            assert await asyncio.to_thread(tries, relay, access) == ssl.SSLCertVerificationError.__name__
            await until(lambda: of(Closed, events))
            assert [event.value for event in failures(events)] == [1]
            assert [event.by for event in of(Closed, events)] == ["client"]
            assert broker.got == b""
            secure_relay(relay, access)
            assert await asyncio.to_thread(tries, relay, access) == "answered"
            assert len(failures(events)) == 1

    play(story)


def test_a_client_without_a_certificate_is_refused_until_none_is_asked_for(play: Play, access: Access) -> None:
    """By TLS 1.3 it learns that with its first read, as the alert or, if its request was there before, as a reset."""

    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            spoil(relay, [SpoilHandshakes(by=Flaw.CLIENT_REFUSED)], access)
            assert await asyncio.to_thread(tries, relay, access) != "answered"
            await until(lambda: of(Closed, events))
            (failed,) = failures(events)
            assert (failed.value, failed.text) == (1, "peer did not return a certificate")
            assert broker.got == b""
            secure_relay(relay, access)
            assert await asyncio.to_thread(tries, relay, access) == "answered"
            assert len(failures(events)) == 1

    play(story)


def test_a_handshake_is_ended_without_an_alert(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            spoil(relay, [SpoilHandshakes(by=Flaw.CLOSED)], access)
            reader, writer = await connect(relay)
            writer.write(b"\x16\x03\x01")  # the beginning of a handshake
            assert await reader.read() == b""
            writer.close()
            await until(lambda: of(Closed, events))
            assert [event.value for event in failures(events)] == [1]
            assert [event.by for event in of(Closed, events)] == ["relay"]
            assert broker.got == b""

    play(story)


def test_an_open_connection_outlives_the_flaw(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, _, events):

            def talk() -> None:
                with Peer(relay, trusting(access)) as peer:
                    peer.ask()
                    spoil(relay, [SpoilHandshakes(by=Flaw.EXPIRED)], access)
                    peer.ask()

            await asyncio.to_thread(talk)
            assert not failures(events)

    play(story)


def test_no_handshake_fails_where_clients_speak_no_tls() -> None:
    relay: Any = None
    with pytest.raises(EngineError, match="speaks no TLS, so no handshake can fail"):
        spoil(relay, [SpoilHandshakes(by=Flaw.EXPIRED)], None)
