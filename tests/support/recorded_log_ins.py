"""Connections of recorded clients that log in, and the same bytes sent to another broker at the same times.

Frames: https://kafka.apache.org/protocol#protocol_messages. Answers to log-ins: SaslHandshakeResponse.json,
SaslAuthenticateResponse.json.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct

from probe.diagnose.input.files import InputFile
from probe.diagnose.input.packets import read_packets
from probe.diagnose.input.segments import segment
from probe.model.endpoint import Endpoint
from probe.protocol.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from probe.protocol.tcp_packets import ACK, FIN, RST, SYN
from tests.support.deadlines import LONGEST_S
from tests.support.log_in_messages import FLEXIBLE, LogIn, Messages, message_of, with_message

_SIZE, _ASKED, _CODE, _LIFETIME = Struct(">i"), Struct(">hhi"), Struct(">h"), Struct(">q")
REST_S = 1.5
"""Time after the last bytes of a client in which the broker may still answer or end the connection."""
AGAIN_S = 0.5
"""Time after which a client whose connection the recorded broker ended goes on, since sessions end by another clock."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of a broker on one connection, and its end."""

    log_ins: tuple[tuple[int, int, bool], ...]
    """API key, error code and whether a lifetime was granted, per answered request of a log-in."""
    answered: int
    """Requests that were answered, of all APIs."""
    cut: bool
    """The broker ended the connection."""


@dataclass(slots=True)
class Recorded:
    """One TCP connection of a capture."""

    sent: list[tuple[float, bytes]] = field(default_factory=list)
    """Bytes of the client, with seconds since its first packet."""
    received: bytearray = field(default_factory=bytearray)
    cut: bool = False
    """The broker ended it first."""
    began: int = 0
    ended: bool = False

    @property
    def asked(self) -> bytes:
        """All bytes of the client."""
        return b"".join(data for _, data in self.sent)

    @property
    def left(self) -> bool:
        """Whether the client ended it and did not wait for its last answer: brokers refuse after a pause (KIP-306)."""
        return self.ended and not self.cut and len(requests(self)) > self.answers().answered

    def answers(self) -> Answers:
        """Return what the recorded broker did."""
        return answers_of(self.asked, bytes(self.received), cut=self.cut)


def recorded(path: Path, port: int = 0) -> list[Recorded]:
    """Return the connections whose beginning is in a capture without retransmissions; to one port, or to any."""
    found: dict[bytes, Recorded] = {}
    file = InputFile(str(path))
    try:
        for at, link, data, start, end, wire, _ in read_packets(file):
            parts = segment(link, data, start, end, wire)
            assert not isinstance(parts, int)
            addresses, _, _, flags, first, last, _ = parts
            source, target = addresses[-4:-2], addresses[-2:]
            key = source if source in found else target
            if flags & SYN and not flags & ACK and port in (0, int.from_bytes(target)):
                key = source
                found[key] = Recorded(began=at)
            if (one := found.get(key)) is None:
                continue
            is_client = key == source
            if flags & (FIN | RST) and not one.ended:
                one.ended, one.cut = True, not is_client
            if payload := data[first:last]:
                if is_client:
                    one.sent.append(((at - one.began) / 1e6, payload))
                else:
                    one.received += payload
    finally:
        file.close()
    return list(found.values())


class _Anew:
    """Requests of one connection whose log-ins are blank, and are made anew."""

    def __init__(self, log_in: LogIn, received: bytearray, came: asyncio.Event) -> None:
        """Take what the broker answered from `received`, which grows whenever `came` is set."""
        self._log_in, self._received, self._came = log_in, received, came
        self._messages: Messages = log_in()
        self._count = 0
        """Requests so far: brokers answer in their order, and Java counts from the same number at each log-in."""
        self._asked: tuple[int, int] | None = None
        """Number and version of the request with the last message."""

    async def request(self, data: bytes) -> bytes:
        """Return a request with the next message where it has one."""
        api, version, _ = _ASKED.unpack_from(data, _SIZE.size)
        self._count += 1
        if api == SASL_HANDSHAKE:
            self._messages, self._asked = self._log_in(), None
        if api != SASL_AUTHENTICATE:
            return data
        if self._asked is None:
            message = next(self._messages)
        else:
            message = self._messages.send(message_of(await self._answer(self._asked[0]), self._asked[1]))
        self._asked = self._count, version
        made = with_message(data[_SIZE.size :], message)
        return _SIZE.pack(len(made)) + made

    async def _answer(self, number: int) -> bytes:
        """Wait for the answer to a request."""
        async with asyncio.timeout(LONGEST_S):
            while len(found := list(frames(bytes(self._received)))) < number:
                self._came.clear()
                await self._came.wait()
        return found[number - 1]


def requests(one: Recorded) -> list[tuple[float, bytes]]:
    """Return the client's complete requests, each with the time of its last byte."""
    found, data = [], b""
    for at, more in one.sent:
        data += more
        for frame in frames(data):
            found.append((at, _SIZE.pack(len(frame)) + frame))
            data = data[_SIZE.size + len(frame) :]
    return found


async def replayed(one: Recorded, broker: Endpoint, log_in: LogIn | None = None) -> Answers:
    """Send the client's bytes to a broker, each at its time, and return what that broker did.

    Where the recorded broker ended the connection, the last bytes are sent once more. `log_in` makes blank ones anew.
    """
    reader, writer = await asyncio.open_connection(broker.host, broker.port)
    received, cut, came = bytearray(), False, asyncio.Event()
    anew = None if log_in is None else _Anew(log_in, received, came)
    sent = one.sent if anew is None else requests(one)

    async def read() -> None:
        nonlocal cut
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                received.extend(data)
                came.set()
        cut = True

    reading = asyncio.create_task(read())
    began = asyncio.get_running_loop().time()
    try:
        for at, data in sent:
            await asyncio.wait([reading], timeout=max(0.0, began + at - asyncio.get_running_loop().time()))
            if cut:
                break
            writer.write(data if anew is None else await anew.request(data))
        if one.cut:
            await asyncio.wait([reading], timeout=AGAIN_S)
            writer.write(sent[-1][1])
        await asyncio.wait([reading], timeout=REST_S)
        return answers_of(one.asked, bytes(received), cut=cut)
    finally:
        reading.cancel()
        writer.close()


def answers_of(asked: bytes, answers: bytes, *, cut: bool) -> Answers:
    """Return what a broker did, by both directions of a connection."""
    pending = iter([_ASKED.unpack_from(frame) for frame in frames(asked)])
    log_ins, count = [], 0
    for frame in frames(answers):
        number = _SIZE.unpack_from(frame)[0]
        api, version, _ = next(request for request in pending if request[2] == number)
        count += 1
        if api == SASL_HANDSHAKE:
            log_ins.append((api, _CODE.unpack_from(frame, 4)[0], False))
        elif api == SASL_AUTHENTICATE:
            tags = int(version >= FLEXIBLE)
            granted = version > 0 and _LIFETIME.unpack_from(frame, len(frame) - 8 - tags)[0] > 0
            log_ins.append((api, _CODE.unpack_from(frame, 4 + tags)[0], granted))
    return Answers(tuple(log_ins), count, cut)


def frames(data: bytes) -> Iterator[bytes]:
    """Yield the complete messages of one direction."""
    at = 0
    while at + 4 <= len(data) and at + 4 + (size := _SIZE.unpack_from(data, at)[0]) <= len(data):
        yield data[at + 4 : at + 4 + size]
        at += 4 + size
