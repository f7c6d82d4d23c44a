"""The token server of one trial, on loopback: it gives tokens for client credentials, or is away."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from http import HTTPStatus

from probe.access import Access
from probe.errors import EngineError
from probe.model import EngineEvent, EngineKind
from probe.model.clock import now_us
from probe.model.endpoint import LOOPBACK
from probe.ports import Sink
from probe.processes.resources import translated
from probe.token_issuer import Issuer
from probe.tokens.exchange import Answer, Asked, given, refusal, refused

PATH = "/token"
LONGEST_HEAD, LONGEST_BODY = 16_384, 16_384
"""Bytes of a request that are read; a longer one is refused."""
READ_S = 10.0
"""Time in which a request has to come."""
LIFETIME_MS = 300_000
"""Lifetime of tokens where a scenario names none: beyond a trial."""


class TokenServer:
    """Token server of one trial. It keeps no request and no token."""

    def __init__(self, access: Access, issuer: Issuer, sink: Sink, lifetime_ms: int) -> None:
        """Give tokens to the client of `access`; refusals are reported to `sink`."""
        self._access, self._issuer, self._sink = access, issuer, sink
        self._lifetime_s = lifetime_ms // 1000
        self._away = False
        self.url = ""

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[TokenServer]:
        """Listen until the end of the context. Raises EngineError, or ExhaustedError."""
        with translated(EngineError):
            server = await asyncio.start_server(self._serve, LOOPBACK, 0, limit=LONGEST_HEAD)
        async with server:
            port = server.sockets[0].getsockname()[1]
            self.url = f"http://{LOOPBACK}:{port}{PATH}"
            yield self

    def leave(self) -> None:
        """Answer 503 from now on, as a load balancer does whose servers are away."""
        self._away = True

    def come_back(self) -> None:
        """Give tokens again."""
        self._away = False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answer = await self._answer(reader)
            if answer is not None:
                self._report(answer)
                writer.write(answer.encoded())
                await writer.drain()
        except OSError:  # the client is gone
            pass
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> Answer | None:
        """Return the answer to the next request; None where none comes in time."""
        try:
            async with asyncio.timeout(READ_S):
                asked = await read_request(reader)
        except (TimeoutError, asyncio.IncompleteReadError):
            return None
        except (asyncio.LimitOverrunError, ValueError):
            return refused(HTTPStatus.BAD_REQUEST, "invalid_request")
        if self._away:
            return refused(HTTPStatus.SERVICE_UNAVAILABLE, "temporarily_unavailable")
        if found := refusal(asked, (self._access.user, self._access.password)):
            return found
        return given(self._issuer.token(self._access.user, int(time.time()), self._lifetime_s), self._lifetime_s)

    def _report(self, answer: Answer) -> None:
        if answer.reason:
            text = f"{answer.status.value} {answer.reason}"
            value = int(answer.status is HTTPStatus.SERVICE_UNAVAILABLE)
            self._sink(EngineEvent(at=now_us(), kind=EngineKind.TOKEN_REFUSED, value=value, text=text))


async def read_request(reader: asyncio.StreamReader) -> Asked:
    """Read a request of HTTP/1.1. ValueError for what is none, LimitOverrunError for a head that is too long."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    size = int(headers.get("content-length", "0"))
    if not 0 <= size <= LONGEST_BODY:
        raise ValueError(f"a body of {size} bytes")
    return Asked(line.split(" ")[0], headers, (await reader.readexactly(size)).decode("latin-1"))


@contextlib.asynccontextmanager
async def token_server(access: Access | None, sink: Sink, lifetime_ms: int = 0) -> AsyncIterator[TokenServer | None]:
    """Run a token server where clients log in by tokens; else there is none. Raises EngineError, or ExhaustedError.

    `lifetime_ms` is that of its tokens; 0 = beyond a trial.
    """
    if access is None or access.issuer is None:
        yield None
        return
    async with TokenServer(access, access.issuer, sink, lifetime_ms or LIFETIME_MS).listening() as server:
        yield server
