"""The application's token function: each log-in asks for a new token."""

from __future__ import annotations

import asyncio

from aiokafka.abc import AbstractTokenProvider
from driver_runtime.tokens import fetch_token

from probe.driver_contract import driver_pb2 as pb


class TokenFunction(AbstractTokenProvider):  # type: ignore[misc]  # the library has no types
    """Tokens for the client of a start."""

    def __init__(self, asked: pb.Security) -> None:
        """Ask with the credentials of `asked`."""
        self._asked = asked

    async def token(self) -> str:
        """Return a new token. Raises OSError where the server gives none."""
        return await asyncio.to_thread(fetch_token, self._asked)
