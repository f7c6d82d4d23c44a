"""The brokers' request log (logger `kafka.request.logger` at DEBUG): JSON since 2.8, text before, names since 2.4.

Read line by line. A client is what one client id, name and version have in common; its count is that of its
connections. Requests that brokers send to each other and to controllers are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.wire_names import client_on_the_wire
from probe.model.counts import counted
from probe.protocol.log_requests import AMONG_BROKERS, MARK, unwrapped

FIRST = "API_VERSIONS"
"""The first request of brokers and clients alike; its line does not have the name yet that it brings."""
SOFTWARE = "clientInformation:ClientInformation(softwareName="
REPLICA = re.compile(r"\breplica_?[iI]d=(\d+)")
"""A Fetch or ListOffsets of a broker; clients send -1."""
UNIQUE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A part of a client id that is new with every start."""
MOST_CLIENTS = 10_000
MOST_CONNECTIONS = 200_000

Client = tuple[str, str, str]
"""Client id, reported name and version."""


@dataclass(frozen=True, slots=True)
class Line:
    """The sender of a request, by its line."""

    client: Client
    connection: str
    first: bool


@dataclass(slots=True)
class Requests:
    """The content of the lines until here."""

    clients: dict[Client, int] = field(default_factory=dict)
    """Connections of each client."""
    begun: set[str] = field(default_factory=set)
    """Client ids that sent ApiVersions."""
    connections: set[int] = field(default_factory=set)
    """Hashes of connections that were counted."""
    broken: int = 0
    other: int = 0
    """Requests of clients beyond MOST_CLIENTS."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients. InventoryError if no line names a client's software."""
    seen = Requests()
    for _, line in document.lines():
        if MARK not in line:
            continue
        try:
            found = _json(line) if f"{MARK}{{" in line or line.startswith("{") else _text(line)
        except (ValueError, RecursionError):
            seen.broken += 1
            continue
        if found is not None:
            _add(seen, found)
    if not seen.clients and not seen.begun and not seen.broken:
        raise InventoryError("none of its requests names a client's software; brokers log it since 2.4")
    for (client_id, name, version), count in seen.clients.items():
        yield client_on_the_wire(name, version, place=document.at(), count=count, client_id=client_id)
    yield from _left_out(seen)


def _left_out(seen: Requests) -> Iterator[Skipped]:
    if only := seen.begun - {client_id for client_id, _, _ in seen.clients}:
        yield Skipped(counted(len(only), "client"), "nothing but ApiVersions was seen, as brokers send it, too")
    if seen.broken:
        yield Skipped(counted(seen.broken, "line"), "no request that can be read")
    if seen.other:
        yield Skipped(counted(seen.other, "request"), f"more than {MOST_CLIENTS} different clients")
    if len(seen.connections) >= MOST_CONNECTIONS:
        yield Skipped("connections", f"not counted after the first {MOST_CONNECTIONS}")


def _add(seen: Requests, line: Line) -> None:
    if line.first:
        if len(seen.begun) < MOST_CLIENTS:
            seen.begun.add(line.client[0])
        return
    if line.client not in seen.clients and len(seen.clients) >= MOST_CLIENTS:
        seen.other += 1
        return
    number = seen.clients.setdefault(line.client, 0)
    connection = hash(line.connection)
    if connection not in seen.connections and len(seen.connections) < MOST_CONNECTIONS:
        seen.connections.add(connection)
        seen.clients[line.client] = number + 1


def _json(line: str) -> Line | None:
    """Read a line of 2.8 and later. ValueError if it is broken; None for a request among brokers."""
    if line.startswith("{"):
        line = unwrapped(json.loads(line))
    start = line.index(MARK) + len(MARK)
    if not line.startswith("{", start):
        return _text(line)
    request, _ = json.JSONDecoder().raw_decode(line, start)
    header, software = _object(request, "requestHeader"), _object(request, "clientInformation")
    api = str(header.get("requestApiKeyName", ""))
    if not software or api in AMONG_BROKERS or request.get("isForwarded") is True or _is_replica(request):
        return None
    name, version = str(software.get("softwareName", "")), str(software.get("softwareVersion", ""))
    client = (_stable(str(header.get("clientId") or "")), name, version)
    return Line(client, str(request.get("connection", "")), api == FIRST)


def _object(values: Any, key: str) -> Mapping[str, Any]:
    found = values.get(key)
    return found if isinstance(found, dict) else {}


def _is_replica(request: Mapping[str, Any]) -> bool:
    """Return whether a broker sent it: a Fetch or ListOffsets with a replica's id."""
    body = _object(request, "request")
    ids = (body.get("replicaId", -1), _object(body, "replicaState").get("replicaId", -1))
    return any(isinstance(number, int) and number >= 0 for number in ids)


def _text(line: str) -> Line | None:
    """Read a line of 2.4 to 2.7; None for a request among brokers, or one that names no software.

    It is searched piece by piece: a client chooses its id, and an expression over a whole line can take for ever.
    """
    body, software, end = line.rpartition(SOFTWARE)
    if not software:
        return None
    name, _, version = end.partition(", softwareVersion=")
    _, header, request = body.partition("apiKey=")
    client_id, found, sent = request.partition("clientId=")[2].partition(", correlationId=")
    if not header or not found:
        raise ValueError(line)
    api = request.partition(",")[0]
    if api in AMONG_BROKERS or REPLICA.search(sent) is not None:
        return None
    connection = sent.rpartition(" from connection ")[2].partition(";")[0]
    return Line((_stable(client_id), name, version.partition(")")[0]), connection, api == FIRST)


def _stable(client_id: str) -> str:
    return UNIQUE.sub("*", client_id)
