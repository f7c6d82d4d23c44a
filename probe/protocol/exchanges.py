"""Requests and answers as events: what was asked, with what its bodies say. The one place where decoders make them."""

from __future__ import annotations

from probe.model import Request, Response
from probe.protocol.rows import Asked, Digest

NOTHING = Digest()
"""Of a body that has no rows, or that could not be read."""


def request_event(
    asked: Asked, said: Digest, *, conn: int, broker: int, client_id: str, size: int = 0, error: str = ""
) -> Request:
    """Return a request on a connection to a broker; `size` is 0 where it is not known."""
    return Request(
        at=asked.at,
        conn=conn,
        broker=broker,
        corr=asked.corr,
        api=asked.api,
        version=asked.version,
        client_id=client_id,
        size=size,
        rows=said.rows,
        everything=said.everything,
        acks=said.acks,
        session_epoch=said.session_epoch,
        error=error,
    )


def response_event(
    asked: Asked, said: Digest, *, at: int, conn: int, broker: int, size: int = 0, error: str = ""
) -> Response:
    """Return the answer to a request, whose last byte passed at `at`; `size` is 0 where it is not known."""
    return Response(
        at=at,
        conn=conn,
        broker=broker,
        corr=asked.corr,
        api=asked.api,
        version=asked.version,
        sent_at=asked.at,
        size=size,
        code=said.code,
        rows=said.rows,
        controller=said.controller,
        error=error,
    )
