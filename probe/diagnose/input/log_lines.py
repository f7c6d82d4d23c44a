"""Lines of brokers' request logs with their times. What they say: `probe.protocol.log_requests`.

What time stamps without a zone are: `log_zone`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from probe.diagnose.input.time_merge import Readable

CHUNK = 1 << 20
LONGEST_LINE = 16 << 20
"""Bytes of a line, beyond which it is not read."""
_WHEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))? ?(Z|[+-]\d\d:?\d\d)?")

Line = tuple[int, str, str]
"""Microseconds since 1970 (0 = the line has no time), the line, name of the file."""


class Stamp(NamedTuple):
    """A time stamp."""

    moment: str
    """Such as `2026-11-27T14:15:22`."""
    part: str
    """Digits of the part of a second."""
    zone: str | None
    """None if it names none."""


def read_lines(file: Readable, zone: tzinfo = UTC) -> Iterator[Line]:
    """Yield the lines of a log with their times. Lines without one have that of the line before.

    `zone` is that of stamps that name none.
    """
    at, rest = 0, b""
    while chunk := file.read(CHUNK):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > LONGEST_LINE:
            rest = b""
        for line in lines:
            text = line.decode("utf-8", "replace")
            at = time_of(text, zone) or at
            yield at, text, file.name
    if rest:
        text = rest.decode("utf-8", "replace")
        yield time_of(text, zone) or at, text, file.name


def stamp(line: str) -> Stamp | None:
    """Return the time stamp at the beginning of a line."""
    found = _WHEN.search(line, 0, 300)
    if found is None:
        return None
    day, second, part, zone = found.groups()
    return Stamp(f"{day}T{second}", part or "0", zone)


def time_of(line: str, zone: tzinfo = UTC) -> int:
    """Return the time stamp at the beginning of a line in microseconds since 1970, 0 if there is none.

    `zone` is that of stamps that name none.
    """
    found = stamp(line)
    if found is None:
        return 0
    try:
        moment = datetime.fromisoformat(f"{found.moment}{(found.zone or '').replace('Z', '+00:00')}")
    except ValueError:
        return 0
    seconds = int((moment if found.zone else moment.replace(tzinfo=zone)).timestamp())
    return seconds * 1_000_000 + int(found.part[:6].ljust(6, "0"))
