"""Lines of brokers' request logs (`kafka.request.logger`): JSON since 2.8, text before.

A line is written when a request is completed, so it has the request, its answer and how long it took. What the lines
look like: `kafka.network.RequestChannel.updateRequestMetrics` of 2.0 to 4.x. What time stamps
without a zone are: `log_zone`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from probe.diagnose.input.struct_text import parse_struct
from probe.diagnose.input.time_merge import Readable
from probe.inventory.readers.request_log import AMONG_BROKERS, MARK, unwrapped
from probe.protocol.names import UnknownNameError, api_key

CHUNK = 1 << 20
LONGEST_LINE = 16 << 20
"""Bytes of a line, beyond which it is not read."""
UNKNOWN = "unknown"
"""The text of brokers for a client that does not report its software."""
_WHEN = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))? ?(Z|[+-]\d\d:?\d\d)?")
_HEADER = re.compile(r"RequestHeader\(apiKey=(\w+), apiVersion=(\d+), clientId=")
_CORRELATION = re.compile(r", correlationId=(-?\d+)\) -- ")
_SOFTWARE = "softwareName="
_ANSWER, _CONNECTION = ",response:", " from connection "

Line = tuple[int, str, str]
"""Microseconds since 1970 (0 = the line has no time), the line, name of the file."""


class Logged(NamedTuple):
    """A completed request."""

    api: int
    version: int
    corr: int
    client_id: str
    request: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    """None where no answer was sent."""
    connection: str
    total_us: int
    """Time from the request to the end of its answer."""
    listener: str
    software: tuple[str, str] | None
    of_brokers: bool
    """Only brokers and controllers send it."""


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


def parse_line(line: str) -> Logged | None:
    """Return the request of a line, None for a line of something else. Raises ValueError, TypeError, LookupError."""
    if MARK not in line:
        return None
    if line.startswith("{"):
        line = unwrapped(json.loads(line)) or line
    start = line.index(MARK) + len(MARK)
    return _json(line, start) if line.startswith("{", start) else _text(line, start)


def _json(line: str, start: int) -> Logged:
    values, _ = json.JSONDecoder().raw_decode(line, start)
    header = values["requestHeader"]
    software = values.get("clientInformation") or {}
    return Logged(
        api=int(header["requestApiKey"]),
        version=int(header["requestApiVersion"]),
        corr=int(header["correlationId"]),
        client_id=str(header.get("clientId") or ""),
        request=_object(values.get("request")),
        response=_object(values.get("response")),
        connection=str(values["connection"]),
        total_us=round(float(values["totalTimeMs"]) * 1000),
        listener=str(values.get("listener", "")),
        software=_reported(software.get("softwareName"), software.get("softwareVersion")),
        of_brokers=values.get("isForwarded") is True or header.get("requestApiKeyName") in AMONG_BROKERS,
    )


def _object(value: Any) -> Mapping[str, Any] | None:
    return value if isinstance(value, dict) else None


def _text(line: str, start: int) -> Logged:
    header = _HEADER.match(line, start)
    corr = _CORRELATION.search(line, start)
    if header is None or corr is None:
        raise ValueError("no header of a request")
    request, p = parse_struct(line, corr.end())
    if not line.startswith(_ANSWER, p):
        raise ValueError("no answer")
    p += len(_ANSWER)
    response, p = parse_struct(line, p) if line.startswith("{", p) else (None, p)
    connection, _, rest = line[line.index(_CONNECTION, p) + len(_CONNECTION) :].partition(";")
    numbers = dict(part.partition(":")[::2] for part in rest.split(","))
    _, _, software = rest.rpartition(_SOFTWARE)
    name, _, version = software.partition(", softwareVersion=")
    return Logged(
        api=_api(header[1]),
        version=int(header[2]),
        corr=int(corr[1]),
        client_id=line[header.end() : corr.start()],
        request=request,
        response=response,
        connection=connection,
        total_us=round(float(numbers["totalTime"]) * 1000),
        listener=numbers.get("listener", "").partition(" ")[0],
        software=_reported(name, version.partition(")")[0]) if _SOFTWARE in rest else None,
        of_brokers=header[1] in AMONG_BROKERS,
    )


def _api(name: str) -> int:
    try:
        return api_key(name)
    except UnknownNameError:
        raise ValueError("unknown API") from None


def _reported(name: Any, version: Any) -> tuple[str, str] | None:
    if not isinstance(name, str) or name in {"", UNKNOWN}:
        return None
    return name, str(version)
