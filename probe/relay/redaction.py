"""The bytes of a connection that a capture keeps: all but payloads and credentials, which are overwritten.

Bytes stay only where the definitions say what they are. Tokens of SASL without Kafka's headers, bodies that do not fit,
and everything behind a length that is none are overwritten whole. No byte is added or removed, so positions and times
stay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

from probe.protocol.apis import SASL_HANDSHAKE
from probe.protocol.compiler import MALFORMED, skip_tags
from probe.protocol.confidential_fields import Found, Span, confidential, has_confidential
from probe.protocol.definitions import REQUEST, RESPONSE
from probe.protocol.frames import MAX_FRAME, PREFIX
from probe.protocol.layout import Layout
from probe.protocol.schemas import Schemas

Piece = tuple[int, int, bytes]
"""Microseconds, `ASK` or `ANSWER`, bytes."""
ASK, ANSWER = 0, 1
FIELD, WHOLE = b"\0", b"\xff"
"""Marks in place of a field, and of a message: no message of Kafka begins with the latter."""
_HEADER, _INT16, _INT32 = Struct(">hhi").unpack_from, Struct(">h").unpack_from, Struct(">i").unpack_from
_FIXED = 8
"""Bytes of a request's header before its client id."""


class Plan(NamedTuple):
    """The way in which a message is passed over."""

    layout: Layout
    confidential: bool
    header: int
    """Version of the header."""


class Plans:
    """The messages of Kafka's definitions, as far as connections use them. Several threads may ask."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._known: dict[tuple[int, int, str], Plan | None] = {}

    def of(self, api: int, version: int, kind: str) -> Plan | None:
        """Return the plan of a message, None if the definitions do not have it."""
        key = (api, version, kind)
        try:
            return self._known[key]
        except KeyError:
            made = self._made(*key)
            if len(self._known) > 4096:  # peers can send any number of unknown versions
                self._known.clear()
            self._known[key] = made
            return made

    def _made(self, api: int, version: int, kind: str) -> Plan | None:
        layout = self._schemas.layout(api, version, kind)
        spec = self._schemas.request(api, version) if kind == REQUEST else self._schemas.response(api, version)
        return None if layout is None or spec is None else Plan(layout, has_confidential(layout), spec.header)


class _Pending(NamedTuple):
    corr: int
    api: int
    version: int


class _Stream:
    """The bytes of one side."""

    def __init__(self, data: bytearray) -> None:
        self.data = data
        self.seen = 0
        """Bytes that have passed up to the piece that is looked at."""
        self.next = 0
        """Start of the first frame that is not complete."""
        self.lost = False
        """A length is none; what follows has no frames."""

    def frame(self) -> Span | None:
        """Return the next frame without its length, None if it is not complete."""
        p = self.next + PREFIX
        if self.lost or p > self.seen:
            return None
        (size,) = _INT32(self.data, self.next)
        if not 0 <= size <= MAX_FRAME:
            self.lost = True
            return None
        if p + size > self.seen:
            return None
        self.next = p + size
        return p, p + size

    def blank(self, low: int, high: int, fill: bytes = FIELD) -> None:
        """Overwrite bytes."""
        self.data[low:high] = fill * max(0, high - low)


class _Blanking:
    """One connection."""

    def __init__(self, plans: Plans, asked: _Stream, answered: _Stream) -> None:
        self._plans, self._streams = plans, (asked, answered)
        self._pending: deque[_Pending] = deque()
        self._tokens = False
        """Tokens without headers may come, until a whole request does."""

    def take(self, side: int, count: int) -> None:
        """Look at the frames of a side that are complete with the next bytes."""
        stream = self._streams[side]
        stream.seen += count
        while (frame := stream.frame()) is not None:
            for low, high in self._request(*frame) if side == ASK else self._response(*frame):
                stream.blank(low, high, WHOLE if low == frame[0] else FIELD)

    def finish(self) -> None:
        """Look at what is not a complete frame at the end of a side: it stays only if nothing in it can matter."""
        for side, stream in enumerate(self._streams):
            p, end = stream.next + PREFIX, len(stream.data)
            if stream.lost:
                stream.blank(stream.next, end, WHOLE)
            elif p < end:
                plan = self._begun_request(p, end) if side == ASK else self._begun_response(p, end)
                if plan is None or self._tokens or plan.confidential:
                    stream.blank(p, end, WHOLE)

    def _begun_request(self, p: int, end: int) -> Plan | None:
        if end < p + _FIXED:
            return None
        api, version, _ = _HEADER(self._streams[ASK].data, p)
        return self._plans.of(api, version, REQUEST)

    def _begun_response(self, p: int, end: int) -> Plan | None:
        asked = self._asked(p) if end >= p + PREFIX else None
        return None if asked is None else self._plans.of(asked.api, asked.version, RESPONSE)

    def _request(self, p: int, end: int) -> Sequence[Span]:
        """Return what becomes zeros of a request, or of a token."""
        if end - p < _FIXED:
            return ((p, end),)
        data = self._streams[ASK].data
        api, version, corr = _HEADER(data, p)
        plan = self._plans.of(api, version, REQUEST)
        found = Found((), end)
        if plan is not None and (plan.confidential or self._tokens):
            try:
                found = confidential(plan.layout, data, _behind_header(data, p + _FIXED, plan.header), end)
            except MALFORMED:
                found = Found(((p, end),), -1)
        if plan is None or (self._tokens and found.stop != end):
            return ((p, end),)
        self._tokens = (api, version) == (SASL_HANDSHAKE, 0)
        self._pending.append(_Pending(corr, api, version))
        return found.spans if found.stop < 0 else (*found.spans, (found.stop, end))

    def _response(self, p: int, end: int) -> Sequence[Span]:
        """Return what becomes zeros of an answer, or of a token."""
        asked = self._asked(p) if end - p >= PREFIX else None
        if asked is None:
            return ((p, end),)
        while self._pending.popleft() is not asked:  # requests without an answer (acks=0)
            pass
        p += PREFIX
        plan = self._plans.of(asked.api, asked.version, RESPONSE)
        if plan is None:
            return ((p, end),)
        if not plan.confidential:
            return ()
        data = self._streams[ANSWER].data
        try:
            found = confidential(plan.layout, data, skip_tags(data, p) if plan.header else p, end)
        except MALFORMED:
            return ((p, end),)
        return (*found.spans, (found.stop, end))

    def _asked(self, p: int) -> _Pending | None:
        """Return the request of an answer."""
        (corr,) = _INT32(self._streams[ANSWER].data, p)
        return next((one for one in self._pending if one.corr == corr), None)


def _behind_header(data: bytearray, p: int, header: int) -> int:
    """Return the position behind client id and tags of a request's header. Raises MALFORMED."""
    if header == 0:
        return p
    p += 2 + max(0, _INT16(data, p)[0])
    return skip_tags(data, p) if header > 1 else p


def blanked(pieces: Sequence[Piece], plans: Plans) -> list[Piece]:
    """Return the pieces of a connection, in order, without payloads and credentials."""
    asked, answered = (_Stream(bytearray().join(data for _, side, data in pieces if side == one)) for one in (0, 1))
    whole = _Blanking(plans, asked, answered)
    for _, side, data in pieces:
        whole.take(side, len(data))
    whole.finish()
    found, at = [], [0, 0]
    for moment, side, data in pieces:
        stream = asked if side == ASK else answered
        found.append((moment, side, bytes(stream.data[at[side] : at[side] + len(data)])))
        at[side] += len(data)
    return found
