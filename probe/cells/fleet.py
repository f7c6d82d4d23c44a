"""Read a fleet from CSV, JSON, TOML or a plain list of clients. Pure.

CSV has a header with the columns `service`, `client`, `version`, `role`, `profile`, `properties` (KEY=VALUE;KEY=VALUE)
and `count`; only the client is required. Synonyms are accepted, such as clientSoftwareName and clientSoftwareVersion,
which brokers report per connection (KIP-511). JSON is a list or one object per line, TOML a list of `[[service]]`, with
the same keys. A plain list has one CLIENT@VERSION per line.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
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
"""Accepted names of every column, in lower case; the first one is preferred."""

CORE_OF_A_WRAPPER = re.compile(r"-(?:lib)?rdkafka-(\d[\w.]*)$")
"""Wrappers of librdkafka report both versions: `2.3.0-librdkafka-2.3.0`."""


@dataclass(frozen=True, slots=True)
class Service:
    """One entry of a fleet."""

    name: str
    client: str
    """FAMILY@VERSION or APPLICATION@VERSION, as `--client` takes it."""
    role: Role | None = None
    """None = every role of the client."""
    profile: str = "isolated"
    properties: tuple[str, ...] = ()
    """KEY=VALUE."""
    count: int = 1


def read_fleet(text: str, name: str) -> list[Service]:
    """Read a fleet; the suffix of `name` selects the format. CatalogueError names the place, the reason and the fix."""
    rows = list(_rows(text.removeprefix("\ufeff"), name))
    if not rows:
        raise CatalogueError(f"{name}: there is no service in it; write lines of CLIENT@VERSION, or CSV")
    return [_service(row, f"{name}, {place}") for place, row in rows]


def _rows(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    ending = name.rpartition(".")[2].lower()
    start = text.lstrip()[:1]
    try:
        if ending == "toml":
            yield from _numbered("[[service]]", _toml(text, name), name)
        elif ending in {"json", "jsonl"} or start in {"[", "{"}:
            yield from _numbered("entry", _json(text), name)
        else:
            yield from _lines(text, name)
    except CatalogueError:
        raise
    except (ValueError, csv.Error) as error:  # includes a number with thousands of digits
        raise CatalogueError(f"{name}: {error}; correct the file") from None
    except RecursionError:
        raise CatalogueError(f"{name}: its values are nested too deeply; write one flat object per service") from None


def _toml(text: str, name: str) -> list[Any]:
    found = tomllib.loads(text).get("service", [])
    if not isinstance(found, list):
        raise CatalogueError(f"{name}: `service` is {_kind(found)}; begin each service with [[service]]")
    return found


def _json(text: str) -> list[Any]:
    """Read a list, one object, or one object per line."""
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError:
        return [json.loads(text)]  # one object over several lines; an error concerns the whole text


def _numbered(word: str, rows: Iterable[Any], name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping | str):
            raise CatalogueError(
                f"{name}, {word} {number}: it is {_kind(row)}; write CLIENT@VERSION, or an object with a key `client`"
            )
        yield f"{word} {number}", row if isinstance(row, Mapping) else {"client": row}


def _kind(value: object) -> str:
    """Return the JSON name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return "a boolean" if isinstance(value, bool) else "a number" if isinstance(value, int | float) else "text"


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
    values = {_column(str(key)): value for key, value in row.items()}
    client = _client(_text(values, "client", place), _text(values, "version", place), place)
    role = _text(values, "role", place)
    if role and role not in set(Role):
        raise CatalogueError(f"{place}: {role} is no role; known are {', '.join(Role)}")
    return Service(
        name=_text(values, "service", place) or client,
        client=client,
        role=Role(role) if role else None,
        profile=_text(values, "profile", place) or "isolated",
        properties=_properties(values.get("properties"), place),
        count=_count(_text(values, "count", place), place),
    )


def _text(values: Mapping[str, Any], column: str, place: str) -> str:
    """Return a plain value as one line of text, empty if absent. CatalogueError for a list or an object."""
    value = values.get(column)
    if value is None:
        return ""
    if isinstance(value, Mapping | list | tuple):
        raise CatalogueError(f"{place}: `{column}` is {_kind(value)}; write one plain value")
    return " ".join(_utf8(str(value)).split())


def _utf8(text: str) -> str:
    """Replace unpaired surrogates, which JSON allows and a terminal cannot show."""
    return text.encode("utf-8", "replace").decode()


def _count(text: str, place: str) -> int:
    try:
        return int(float(text or "1"))
    except (ValueError, OverflowError):  # OverflowError: infinity
        raise CatalogueError(f"{place}: count {text!r} is no number; leave it empty for 1") from None


def _client(client: str, version: str, place: str) -> str:
    name, _, own = client.partition("@")
    version = version.removeprefix("v") or own
    if core := CORE_OF_A_WRAPPER.search(version):
        name, version = "librdkafka", core[1]
    if not name:
        raise CatalogueError(f"{place}: it names no client; write CLIENT@VERSION, or a key `client`")
    if not version:
        example = "@".join(client.split()[:2]) if " " in client else f"{client}@VERSION"
        raise CatalogueError(f"{place}: {client} has no version; write {example}")
    return f"{name}@{version}"


def _properties(value: Any, place: str) -> tuple[str, ...]:
    """Read an object of plain values, a list of KEY=VALUE, or text separated by semicolons."""
    if isinstance(value, Mapping):
        return tuple(f"{_utf8(key)}={_plain(item, key, place)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        parts = [_plain(item, "", place) for item in value]
    else:
        parts = [] if value is None else _utf8(str(value)).split(";")
    for part in parts:
        if part.strip() and "=" not in part:
            raise CatalogueError(f"{place}: property {part.strip()!r} is not KEY=VALUE; separate several by semicolons")
    return tuple(part.strip() for part in parts if part.strip())


def _plain(value: Any, key: str, place: str) -> str:
    """Return the value of a property as text; booleans of JSON and TOML are `true` and `false`."""
    if value is None or isinstance(value, Mapping | list | tuple):
        what = f"property {key!r}" if key else "an item of `properties`"
        raise CatalogueError(f"{place}: {what} is {_kind(value)}; write one plain value")
    return str(value).lower() if isinstance(value, bool) else _utf8(str(value))
