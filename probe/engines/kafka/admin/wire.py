"""Encoding of the few Kafka requests that the engine sends itself, past the relay.

Each request uses the oldest API version that all supported brokers with that API know, so one encoding serves all.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TypeVar

from probe.errors import EngineError
from probe.model.endpoint import Endpoint

Item = TypeVar("Item")
CLIENT = "probe-engine"
LIMIT = 64 << 20
"""Maximum size of an answer, in bytes."""


class Writer:
    """A request body under construction."""

    def __init__(self) -> None:
        self.data = bytearray()

    def pack(self, form: str, *values: float) -> Writer:
        """Append numbers in network byte order; `form` as of `struct`."""
        self.data += struct.pack(f">{form}", *values)
        return self

    def string(self, text: str | None) -> Writer:
        """Append a string, or null."""
        raw = b"" if text is None else text.encode()
        self.data += struct.pack(">h", -1 if text is None else len(raw)) + raw
        return self

    def compact(self, text: str) -> Writer:
        """Append a string as in flexible versions."""
        raw = text.encode()
        self.varint(len(raw) + 1)
        self.data += raw
        return self

    def varint(self, number: int) -> Writer:
        """Append an unsigned number of variable length."""
        while number > 0x7F:
            self.data.append(number & 0x7F | 0x80)
            number >>= 7
        self.data.append(number)
        return self

    def array(self, items: Sequence[Item], write: Callable[[Writer, Item], object]) -> Writer:
        """Append an array."""
        self.pack("i", len(items))
        for item in items:
            write(self, item)
        return self

    def ints(self, numbers: Iterable[int]) -> Writer:
        """Append an array of 32-bit numbers."""
        listed = list(numbers)
        return self.pack(f"i{len(listed)}i", len(listed), *listed)


class Reader:
    """An answer that is read from front to back. Reads raise struct.error or IndexError if it is too short."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, form: str) -> int:
        """Read one number."""
        (value,) = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return int(value)

    def string(self) -> str:
        """Read a string; null becomes an empty one."""
        return self._text(self.number("h"))

    def compact(self) -> str:
        """Read a string as in flexible versions; null becomes an empty one."""
        return self._text(self.varint() - 1)

    def varint(self) -> int:
        """Read an unsigned number of variable length."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def tags(self) -> None:
        """Skip tagged fields."""
        for _ in range(self.varint()):
            self.varint()
            self.at += self.varint()

    def array(self, read: Callable[[Reader], Item]) -> list[Item]:
        """Read an array; null becomes an empty one."""
        return [read(self) for _ in range(max(0, self.number("i")))]

    def ints(self) -> tuple[int, ...]:
        """Read an array of 32-bit numbers."""
        return tuple(self.array(lambda reader: reader.number("i")))

    def _text(self, length: int) -> str:
        if length <= 0:
            return ""
        self.at += length
        return self.data[self.at - length : self.at].decode(errors="replace")


class Line:
    """A connection to one broker, with at most one request in flight."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._correlation = 0

    async def ask(self, api: int, version: int, body: Writer, *, flexible: bool = False) -> Reader:
        """Send a request and return its answer after the header. EngineError or OSError if the connection ends."""
        self._correlation += 1
        head = Writer().pack("hhi", api, version, self._correlation).string(CLIENT)
        if flexible:
            head.varint(0)
        frame = bytes(head.data + body.data)
        self._writer.write(struct.pack(">i", len(frame)) + frame)
        try:
            await self._writer.drain()
            (size,) = struct.unpack(">i", await self._reader.readexactly(4))
            if not 4 <= size <= LIMIT:
                raise EngineError(f"an answer of {size} bytes")
            answer = Reader(await self._reader.readexactly(size))
        except asyncio.IncompleteReadError:
            raise EngineError("the broker closed the connection") from None
        answer.number("i")
        if flexible:
            answer.tags()
        return answer

    def send(self, frames: bytes) -> None:
        """Send whole frames without waiting for answers."""
        self._writer.write(frames)

    def close(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


async def dial(address: Endpoint) -> Line:
    """Connect to a broker. OSError."""
    return Line(*await asyncio.open_connection(address.host, address.port))


@contextlib.asynccontextmanager
async def line_to(address: Endpoint, deadline_s: float) -> AsyncIterator[Line]:
    """Open a connection for at most `deadline_s`. OSError, of which TimeoutError is a kind."""
    try:
        async with asyncio.timeout(deadline_s):
            line = await dial(address)
            try:
                yield line
            finally:
                line.close()
    except TimeoutError as error:
        raise TimeoutError(str(error) or f"{address} did not answer within {deadline_s:.0f} s") from None
