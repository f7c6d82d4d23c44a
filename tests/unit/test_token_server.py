"""The token server of a trial: client credentials, its absence, and hostile requests."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from probe.access import Access
from probe.model import EngineEvent, EngineKind, Event
from probe.model.security import Security
from probe.run_credentials import MARK, run_credentials
from probe.tokens.server import LONGEST_BODY, LONGEST_HEAD, TokenServer, token_server
from tests.support.deadlines import LONGEST_S

OAUTH = Security.parse("SASL_PLAINTEXT/OAUTHBEARER")
GRANT = "grant_type=client_credentials"
Talk = Callable[[TokenServer, Access, list[Event]], Awaitable[None]]


def basic(name: str, secret: str) -> str:
    return f"Basic {base64.b64encode(f'{name}:{secret}'.encode()).decode()}"


def request(body: str = GRANT, authorization: str = "", method: str = "POST") -> bytes:
    head = [f"{method} /token HTTP/1.1", "Host: x", f"Content-Length: {len(body)}"]
    head += [f"Authorization: {authorization}"] if authorization else []
    return "\r\n".join((*head, "", body)).encode()


async def ask(server: TokenServer, data: bytes) -> tuple[int, Any]:
    """Send bytes and the end of the stream; return status and body, or 0 where nothing was answered."""
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    writer.write_eof()
    async with asyncio.timeout(LONGEST_S):
        answer = await reader.read()
    writer.close()
    if not answer:
        return 0, None
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ")[1]), json.loads(body)


def served(talk: Talk, lifetime_ms: int = 10_000) -> list[Event]:
    events: list[Event] = []

    async def run() -> None:
        with run_credentials([OAUTH]) as accesses:
            access = accesses[OAUTH]
            async with token_server(access, events.append, lifetime_ms) as server:
                assert server is not None
                await talk(server, access, events)

    asyncio.run(run())
    return events


def refusals(events: list[Event]) -> list[tuple[str, int]]:
    found = [event for event in events if isinstance(event, EngineEvent)]
    assert all(event.kind is EngineKind.TOKEN_REFUSED for event in found)
    return [(event.text, event.value) for event in found]


def test_nothing_listens_where_nobody_logs_in_by_tokens() -> None:
    async def run(access: Access | None) -> TokenServer | None:
        async with token_server(access, lambda _: None) as server:
            return server

    for access in (None, Access(security=Security.parse("SASL_SSL/PLAIN"))):
        assert asyncio.run(run(access)) is None


def test_the_client_gets_tokens_by_both_ways_of_saying_who_it_is() -> None:
    async def talk(server: TokenServer, access: Access, events: list[Event]) -> None:
        in_body = f"{GRANT}&client_id={access.user}&client_secret={access.password}"
        for data in (request(authorization=basic(access.user, access.password)), request(in_body)):
            status, found = await ask(server, data)
            assert (status, found["token_type"], found["expires_in"]) == (200, "Bearer", 10)
            assert found["access_token"].count(".") == 2
        assert not events

    served(talk)


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (request(authorization=basic("probe", "wrong")), 401, "invalid_client"),
        (request(authorization="Basic !"), 401, "invalid_client"),
        (request(), 401, "invalid_client"),
        (request("grant_type=password"), 400, "unsupported_grant_type"),
        (request(method="GET"), 405, "invalid_request"),
        (b"POST /token HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400, "invalid_request"),
        (f"POST / HTTP/1.1\r\nContent-Length: {LONGEST_BODY + 1}\r\n\r\n".encode(), 400, "invalid_request"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "invalid_request"),
        (b"POST / HTTP/1.1\r\nA: " + b"a" * 2 * LONGEST_HEAD + b"\r\n\r\n", 400, "invalid_request"),
    ],
)
def test_others_are_refused_with_the_names_of_rfc_6749(data: bytes, status: int, reason: str) -> None:
    async def talk(server: TokenServer, _: Access, __: list[Event]) -> None:
        assert await ask(server, data) == (status, {"error": reason})

    assert refusals(served(talk)) == [(f"{status} {reason}", 0)]


@pytest.mark.parametrize("data", [b"", b"POST /token HTTP", request()[:-3], b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"])
def test_a_request_that_ends_early_is_answered_by_the_end_of_the_connection(data: bytes) -> None:
    async def talk(server: TokenServer, _: Access, __: list[Event]) -> None:
        assert await ask(server, data) == (0, None)

    assert not served(talk)


def test_a_server_that_is_away_gives_no_token_until_it_is_back() -> None:
    async def talk(server: TokenServer, access: Access, _: list[Event]) -> None:
        right = request(authorization=basic(access.user, access.password))
        server.leave()
        assert await ask(server, right) == (503, {"error": "temporarily_unavailable"})
        server.come_back()
        assert (await ask(server, right))[0] == 200

    events = served(talk)
    assert refusals(events) == [("503 temporarily_unavailable", 1)]
    assert MARK not in repr(events)
