"""One row of a fleet, by the names of its columns or keys, is one client. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from probe.inventory.columns import WORDS, by_column
from probe.inventory.document import Document, Spot
from probe.inventory.entries import Found, InventoryError, Place
from probe.inventory.paste_parser import named, pasted
from probe.inventory.text import one_line
from probe.inventory.wire_names import client_on_the_wire
from probe.model import Role


def numbered(word: str, rows: Iterable[Any]) -> Iterator[tuple[Spot, Mapping[str, Any]]]:
    """Yield rows with their places (`entry 3`). InventoryError for a value that is neither an object nor text."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping | str):
            raise InventoryError(
                f"{word} {number}: it is {kind(row)}; write CLIENT@VERSION, or an object with a key `client`"
            )
        yield f"{word} {number}", row if isinstance(row, Mapping) else {"client": row}


def kind(value: object) -> str:
    """Return the JSON name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return "a boolean" if isinstance(value, bool) else "a number" if isinstance(value, int | float) else "text"


def found_in(rows: Iterable[tuple[Spot, Mapping[str, Any]]], document: Document) -> Iterator[Found]:
    """Yield the client of each row. InventoryError with the place of a row that cannot be read, or if there is none."""
    none = True
    for spot, row in rows:
        none = False
        yield _found(row, document.at(spot))
    if none:
        raise InventoryError(f"there is no service in it; write lines of CLIENT@VERSION, or {','.join(WORDS)}")


def _found(row: Mapping[str, Any], where: Place) -> Found:
    values, place = by_column({str(key): value for key, value in row.items()}), where.spot
    role = _text(values, "role", place)
    if role and role not in set(Role):
        raise InventoryError(f"{place}: {role} is no role; known are {', '.join(Role)}")
    service = _text(values, "service", place)
    found = _named(_text(values, "client", place), _text(values, "version", place), values, place, where)
    return Found(
        service=service,
        package=found.package,
        ecosystem=found.ecosystem,
        client=found.client,
        version=found.version,
        unknown=found.unknown,
        role=Role(role) if role else None,
        profile=_text(values, "profile", place),
        properties=_properties(values.get("properties"), place),
        count=_count(_text(values, "count", place), place),
        place=where,
        note=found.note,
    )


def _named(client: str, version: str, values: Mapping[str, Any], place: str, where: Place) -> Found:
    """Return the client that a row names, or that reports the name in it."""
    if not client and (reported := _text(values, "reported", place)):
        return client_on_the_wire(reported, version, place=where)
    if not client.strip("@ "):
        raise InventoryError(f"{place}: it names no client; write CLIENT@VERSION, or a key `client`")
    return named(client, version, where) if version else pasted(client, where)[0]


def _text(values: Mapping[str, Any], name: str, place: str) -> str:
    """Return a plain value as one line of text, empty if absent. InventoryError for a list or an object."""
    value = values.get(name)
    if value is None:
        return ""
    if isinstance(value, Mapping | list | tuple):
        raise InventoryError(f"{place}: `{name}` is {kind(value)}; write one plain value")
    return one_line(value)


def _count(text: str, place: str) -> int:
    try:
        return int(float(text or "1"))
    except (ValueError, OverflowError):  # OverflowError: infinity
        raise InventoryError(f"{place}: count {text!r} is no number; leave it empty for 1") from None


def _properties(value: Any, place: str) -> tuple[str, ...]:
    """Read an object of plain values, a list of KEY=VALUE, or text separated by semicolons."""
    if isinstance(value, Mapping):
        return tuple(f"{one_line(key)}={_plain(item, key, place)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        parts = [_plain(item, "", place) for item in value]
    else:
        parts = [] if value is None else one_line(value).split(";")
    for part in parts:
        if part.strip() and "=" not in part:
            raise InventoryError(f"{place}: property {part.strip()!r} is not KEY=VALUE; separate several by semicolons")
    return tuple(part.strip() for part in parts if part.strip())


def _plain(value: Any, key: str, place: str) -> str:
    """Return the value of a property as text; booleans of JSON and TOML are `true` and `false`."""
    if value is None or isinstance(value, Mapping | list | tuple):
        what = f"property {one_line(key)!r}" if key else "an item of `properties`"
        raise InventoryError(f"{place}: {what} is {kind(value)}; write one plain value")
    return str(value).lower() if isinstance(value, bool) else one_line(value)
