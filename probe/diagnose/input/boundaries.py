"""Beginnings of messages, found by content: for connections that began before the capture, and after lost bytes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from struct import Struct

from probe.protocol.compiler import MALFORMED, skip_tags
from probe.protocol.definitions import REQUEST
from probe.protocol.frames import MAX_FRAME, PREFIX, Frame
from probe.protocol.schemas import Schemas

HIGHEST_API, HIGHEST_VERSION = 500, 100
"""More than any release has. Within a connection that is known to be Kafka's, higher numbers mean lost bytes."""
LONGEST_ID = 512
"""Bytes of a client id by which a request is recognised."""
HEADER = Struct(">hhih").unpack_from
"""API key, version, correlation id, length of the client id."""
HEADER_SIZE = 10
SMALLEST_REQUEST, SMALLEST_ANSWER = 8, 4
_SIZED = Struct(">ihhih").unpack_from
_ANSWER = Struct(">ii").unpack_from
_CORRELATION = Struct(">i").pack
_BEGINNING = re.compile(rb"(?=[\x00-\x06][\s\S]{3}\x00[\x00-\x7f]\x00[\x00-\x1f][\s\S]{4}[\x00\x01\xff])")
_TRIED = 8
"""Pending requests whose answers are searched for within a piece."""

Ranges = Mapping[int, tuple[int, int]]
"""API key to its lowest and highest version."""


def ranges_of(schemas: Schemas) -> Ranges:
    """Return the versions of requests that any of the definitions has."""
    found: dict[int, tuple[int, int]] = {}
    for jar in schemas.jars:
        for message in jar.messages(REQUEST):
            low, high = found.get(message.api, (message.valid.low, message.valid.high))
            found[message.api] = (min(low, message.valid.low), max(high, message.valid.high))
    return found


def is_request(frame: Frame) -> bool:
    """Return whether a frame can be a request, in a connection that is known to be Kafka's."""
    if frame.end - frame.start < HEADER_SIZE:
        return False
    api, version, _, length = HEADER(frame.data, frame.start)
    numbers = 0 <= api <= HIGHEST_API and 0 <= version <= HIGHEST_VERSION
    return numbers and bool(-1 <= length <= frame.end - frame.start)


def begins_request(data: bytes, p: int, ranges: Ranges) -> int:
    """Return the position after a request that begins at `p`, -1 if none does. It may lie behind the data."""
    if p + PREFIX + HEADER_SIZE > len(data):
        return -1
    size, api, version, _, length = _SIZED(data, p)
    low, high = ranges.get(api, (0, -1))
    if not (SMALLEST_REQUEST <= size <= MAX_FRAME and low <= version <= high and length <= LONGEST_ID):
        return -1
    if length > size - HEADER_SIZE:
        return -1
    start = p + PREFIX + HEADER_SIZE
    name = data[start : start + max(0, length)]
    text = name.decode("utf-8", "ignore")
    whole = len(text.encode()) + 3 >= len(name)  # a character may be cut off at the end of the data
    return p + PREFIX + size if whole and text.isprintable() else -1


def request_start(data: bytes, ranges: Ranges, schemas: Schemas, *, within: bool) -> int:
    """Return where the first request begins in a piece of a client's bytes, -1 if none does.

    A piece that is a segment nearly always begins with a message. Within a piece (`within`) a request counts if it
    ends with the piece, or if another follows it. A body that is there has to fit: the beginning of an answer, with a
    low number and the name of a topic, looks like the header of a request.
    """
    stop = begins_request(data, 0, ranges)
    if stop > len(data) and data[12:14] not in _NO_ID:
        return 0
    if 0 <= stop <= len(data) and _fits(data, 0, stop, schemas):
        return 0
    if within:
        for found in _BEGINNING.finditer(data, 1):
            stop = begins_request(data, found.start(), ranges)
            follows = stop == len(data) or (0 <= stop < len(data) and begins_request(data, stop, ranges) >= 0)
            if follows and _fits(data, found.start(), stop, schemas):
                return found.start()
    return -1


def _fits(data: bytes, p: int, stop: int, schemas: Schemas) -> bool:
    """Return whether the request in `data[p:stop]` has the body of its definition."""
    _, api, version, _, length = _SIZED(data, p)
    p += PREFIX + HEADER_SIZE + max(0, length)
    try:
        spec = schemas.request(api, version)
        return spec is not None and spec.read(data, skip_tags(data, p) if spec.header > 1 else p, stop)[1] == stop
    except MALFORMED:
        return False


_NO_ID = frozenset({b"\0\0", b"\xff\xff"})
"""Lengths of an empty client id, and of none: such a header alone is weak evidence."""


def answer_start(data: bytes, pending: Collection[int]) -> int:
    """Return where the first answer to a request with one of these correlation ids begins, -1 if none does."""
    if len(data) < 2 * PREFIX or not pending:
        return -1
    size, corr = _ANSWER(data)
    if SMALLEST_ANSWER <= size <= MAX_FRAME and corr in pending:
        return 0
    for wanted, _ in zip(pending, range(_TRIED), strict=False):
        for p in _places(data, _CORRELATION(wanted)):
            if (size := _ANSWER(data, p - PREFIX)[0]) >= SMALLEST_ANSWER and p + size == len(data):
                return p - PREFIX
    return -1


def _places(data: bytes, part: bytes) -> Iterator[int]:
    """Yield where a part stands in a piece, but not in its first bytes."""
    p = data.find(part, PREFIX)
    while p >= 0:
        yield p
        p = data.find(part, p + 1)


def is_alert(data: bytes) -> bool:
    """Return whether bytes begin with an alert of TLS, which a listener with TLS sends to a plaintext client."""
    return data[:1] == b"\x15" and is_tls(data)


def is_tls(data: bytes) -> bool:
    """Return whether bytes begin with a record of TLS (RFC 8446, section 5.1)."""
    return (
        len(data) >= 5 and 20 <= data[0] <= 23 and data[1] == 3 and data[2] <= 4 and (data[3] << 8 | data[4]) <= 18_432
    )
