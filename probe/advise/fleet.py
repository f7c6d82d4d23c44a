"""A fleet as text: CSV, JSON, TOML or a plain list of clients. Pure.

CSV has a header; of its columns `service`, `client`, `version`, `role`, `profile`, `properties` (KEY=VALUE;KEY=VALUE)
and `count` only the client is needed. Other words for them are taken too: what brokers export of their connections
(KIP-511) is clientSoftwareName and clientSoftwareVersion. JSON is a list or one object a line, TOML a list of
`[[service]]`, with the same keys. A plain list has one CLIENT@VERSION a line.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probe.catalogue.families import CatalogueError
from probe.model import Role

WORDS: Mapping[str, tuple[str, ...]] = {
    "service": ("service", "name", "application", "host", "client_id", "clientid"),
    "client": ("client", "family", "library", "software", "clientsoftwarename", "client_software_name"),
    "version": ("version", "clientsoftwareversion", "client_software_version"),
    "role": ("role",),
    "profile": ("profile",),
    "properties": ("properties", "settings"),
    "count": ("count", "instances", "connections", "value"),
}
"""Columns by their words, in small letters; the first is the one to use."""

CORE_OF_A_WRAPPER = re.compile(r"-(?:lib)?rdkafka-(\d[\w.]*)$")
"""Wrappers of librdkafka say both versions: `2.3.0-librdkafka-2.3.0`."""


@dataclass(frozen=True, slots=True)
class Service:
    """One line of a fleet."""

    name: str
    client: str
    """FAMILY@VERSION or APPLICATION@VERSION, as `--client` takes it."""
    role: Role | None = None
    """None = every role that the client has."""
    profile: str = "isolated"
    properties: tuple[str, ...] = ()
    """KEY=VALUE."""
    count: int = 1


def read_fleet(text: str, name: str) -> list[Service]:
    """Read a fleet; the end of its `name` tells the format. CatalogueError: the place, what is wrong, the way out."""
    rows = list(_rows(text.removeprefix("\ufeff"), name))
    if not rows:
        raise CatalogueError(f"{name}: there is no service in it; write lines of CLIENT@VERSION, or CSV")
    return [_service(row, f"{name}, {place}") for place, row in rows]


def _rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    ending = name.rpartition(".")[2].lower()
    start = text.lstrip()[:1]
    try:
        if ending == "toml":
            yield from _numbered("[[service]]", tomllib.loads(text).get("service", []))
        elif ending in {"json", "jsonl"} or start in {"[", "{"}:
            yield from _numbered("entry", _json(text))
        else:
            yield from _lines(text, name)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise CatalogueError(f"{name}: {error}; mend the file") from None


def _json(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _numbered(word: str, rows: Iterable[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, row in enumerate(rows, 1):
        yield f"{word} {number}", row if isinstance(row, Mapping) else {"client": str(row)}


def _lines(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    kept = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()[:1] not in {"", "#"}]
    if not kept:
        return
    header = [_column(word) for word in next(csv.reader([kept[0][1]]))]
    if "client" not in header:
        if any("," in line for _, line in kept):
            raise CatalogueError(f"{name}, line {kept[0][0]}: no column `client`; begin with {','.join(WORDS)}")
        for number, line in kept:
            yield f"line {number}", {"client": line.strip().removeprefix("- ")}
        return
    reader = csv.DictReader(io.StringIO("\n".join(line for _, line in kept[1:])), fieldnames=header)
    for (number, _), row in zip(kept[1:], reader, strict=False):
        yield f"line {number}", {key: value for key, value in row.items() if isinstance(key, str)}


def _column(word: str) -> str:
    plain = word.strip().lower()
    return next((column for column, words in WORDS.items() if plain in words), plain)


def _service(row: Mapping[str, Any], place: str) -> Service:
    told = {_column(str(key)): value for key, value in row.items() if value not in {None, ""}} if row else {}
    client = _client(str(told.get("client", "")).strip(), str(told.get("version", "")).strip(), place)
    role = str(told.get("role", "")).strip()
    if role and role not in set(Role):
        raise CatalogueError(f"{place}: {role} is no role; known are {', '.join(Role)}")
    try:
        count = int(float(str(told.get("count", 1))))
    except ValueError:
        raise CatalogueError(f"{place}: count {told['count']!r} is no number; leave it empty for 1") from None
    return Service(
        name=str(told.get("service", client)).strip(),
        client=client,
        role=Role(role) if role else None,
        profile=str(told.get("profile", "isolated")).strip(),
        properties=_properties(told.get("properties", ()), place),
        count=count,
    )


def _client(client: str, version: str, place: str) -> str:
    name, _, own = client.partition("@")
    version = version.removeprefix("v") or own
    if core := CORE_OF_A_WRAPPER.search(version):
        name, version = "librdkafka", core[1]
    if not name or not version:
        raise CatalogueError(f"{place}: {client or 'no client'} has no version; write CLIENT@VERSION")
    return f"{name}@{version}"


def _properties(told: Any, place: str) -> tuple[str, ...]:
    if isinstance(told, Mapping):
        return tuple(f"{key}={value}" for key, value in told.items())
    parts: Sequence[str] = [str(item) for item in told] if isinstance(told, list | tuple) else str(told).split(";")
    for part in parts:
        if part.strip() and "=" not in part:
            raise CatalogueError(f"{place}: property {part.strip()!r} is not KEY=VALUE; part several by semicolons")
    return tuple(part.strip() for part in parts if part.strip())
