"""Requests of brokers' request logs (`kafka.request.logger` at DEBUG): JSON since 2.8, text before.

A line is written when a request is completed, so it has the request, its answer and how long it took. What the lines
look like: `kafka.network.RequestChannel.updateRequestMetrics` of 2.0 to 4.x.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from probe.protocol.names import UnknownNameError, api_key
from probe.protocol.struct_text import parse_struct

MARK = "Completed request:"
WRAPPERS = ("log", "message", "msg")
"""Keys under which container engines and log shippers hold a line."""
AMONG_BROKERS = frozenset(
    {
        *("LEADER_AND_ISR", "STOP_REPLICA", "UPDATE_METADATA", "CONTROLLED_SHUTDOWN", "ALTER_PARTITION", "ENVELOPE"),
        *("WRITE_TXN_MARKERS", "VOTE", "BEGIN_QUORUM_EPOCH", "END_QUORUM_EPOCH", "FETCH_SNAPSHOT"),
        *("BROKER_REGISTRATION", "BROKER_HEARTBEAT", "UNREGISTER_BROKER", "ALLOCATE_PRODUCER_IDS"),
        *("CONTROLLER_REGISTRATION", "ASSIGN_REPLICAS_TO_DIRS", "UPDATE_RAFT_VOTER"),
        *("INITIALIZE_SHARE_GROUP_STATE", "READ_SHARE_GROUP_STATE", "WRITE_SHARE_GROUP_STATE"),
        *("DELETE_SHARE_GROUP_STATE", "READ_SHARE_GROUP_STATE_SUMMARY"),
    }
)
UNKNOWN = "unknown"
"""The text of brokers for a client that does not report its software."""
_HEADER = re.compile(r"RequestHeader\(apiKey=(\w+), apiVersion=(\d+), clientId=")
_CORRELATION = re.compile(r", correlationId=(-?\d+)\) -- ")
_SOFTWARE = "softwareName="
_ANSWER, _CONNECTION = ",response:", " from connection "


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


def parse_line(line: str) -> Logged | None:
    """Return the request of a line, None for a line of something else. Raises ValueError, TypeError, LookupError."""
    if MARK not in line:
        return None
    if line.startswith("{"):
        line = unwrapped(json.loads(line)) or line
    start = line.index(MARK) + len(MARK)
    try:
        return _json(line, start) if line.startswith("{", start) else _text(line, start)
    except OverflowError:
        raise ValueError("a number beyond any bound") from None


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


def unwrapped(values: Any) -> str:
    """Return the line that a container engine or a log shipper holds in an object, empty if it holds none."""
    found = next((values[key] for key in WRAPPERS if isinstance(values.get(key), str)), "")
    return str(found)
