"""Bodies of request logs, as JSON or as text, in the form that readers of the wire give."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from typing import Any

from probe.protocol.compiler import FIXED, Body
from probe.protocol.layout import Item

HEADER_OF_PARTITION = "partition_header"
"""Fetch answers as text have the fields of a partition in a struct of their own."""
_SIZE = "sizeinbytes"
_UNTAGGED = "_tagged_fields"
_IN_TEXT = re.compile(r"\bsize= ?(\d+)")
"""Size of records in the texts of FileRecords and MemoryRecords."""
_BOOLEANS = {"true": True, "false": False}


def fitted(items: tuple[Item, ...], values: Any) -> Body:
    """Return a struct of the log with the names and types of its definition. `records` are their size, bytes are empty.

    Names of fields have changed since; where one is not found, the order counts, which is that of the wire. Raises
    ValueError, TypeError or LookupError where the values do not fit.
    """
    named = {_plain(key): value for key, value in _entries(values)}
    plain = [item for item in items if item.tag < 0]
    tagged = [item for item in items if item.tag >= 0 and _plain(item.name) in named]
    if not all(_plain(item.name) in named for item in plain):
        ordered = [value for key, value in named.items() if key not in {_plain(item.name) for item in tagged}]
        if len(ordered) != len(plain):
            raise ValueError("fields that the definition does not have")
        found = {item.name: _value(item, value) for item, value in zip(plain, ordered, strict=True)}
    else:
        found = {item.name: _value(item, named[_plain(item.name)]) for item in plain}
    return found | {item.name: _value(item, named[_plain(item.name)]) for item in tagged}


def _entries(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    entries = [(key, value) for key, value in values.items() if key != _UNTAGGED]
    if entries and entries[0][0] == HEADER_OF_PARTITION:
        return [*_entries(entries[0][1]), *entries[1:]]
    return entries


def _plain(name: str) -> str:
    return name.replace("_", "").lower().removesuffix(_SIZE)


def _value(item: Item, value: Any) -> Any:
    if value is None:
        return None
    if item.array:
        if not isinstance(value, list):
            raise TypeError("no array")
        return [_one(item, element) for element in value]
    return _one(item, value)


def _one(item: Item, value: Any) -> Any:
    if item.type == "struct":
        return fitted(item.items, value)
    read: Callable[[Any], Any] = _SCALARS.get(item.type, _no_bytes)
    return read(value)


def _records(value: Any) -> int:
    if isinstance(value, int):
        return value
    size = _IN_TEXT.search(str(value))
    return int(size[1]) if size else 0


def _no_bytes(_: Any) -> bytes:
    return b""


_SCALARS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(FIXED, int),
    "bool": lambda value: value if isinstance(value, bool) else _BOOLEANS[value],
    "float64": float,
    "uuid": lambda value: urlsafe_b64decode(f"{value}=="),
    "string": str,
    "records": _records,
}
