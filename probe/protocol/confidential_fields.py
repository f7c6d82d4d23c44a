"""Places of payloads, credentials and texts of applications in a body, so that a capture can be kept without them.

Confidential are records, all `bytes` but the subscriptions and assignments of groups, and the strings of `STRINGS`:
settings of topics, brokers and users, which may be passwords, and what applications store beside offsets.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from probe.protocol.compiler import FIXED, MalformedError, uvarint
from probe.protocol.layout import Item, Layout

STRINGS = frozenset({"Value", "TokenId", "CommittedMetadata", "Metadata"})
"""Settings; the name of a delegation token; what an application stores with an offset."""
OF_GROUPS = frozenset({"Metadata", "Assignment", "MemberMetadata", "MemberAssignment"})
"""`bytes` that stay: which topics a member wants and which partitions it gets."""
Span = tuple[int, int]
"""Start and end of bytes."""

_INT16, _INT32 = Struct(">h").unpack_from, Struct(">i").unpack_from
_WIDTHS = {name: Struct(f">{code}").size for name, code in FIXED.items()}
_SIZE_AT, _MAGIC_AT = 8, 16
_SIZED_FROM = 12
"""Position behind the length of a batch, which counts what follows."""
_OPEN: dict[int, tuple[Span, ...]] = {0: ((0, 12), (16, 18)), 1: ((0, 12), (16, 26)), 2: ((0, 17), (21, 61))}
"""By magic what is kept of a batch: its header without the checksum, by which a short record could be guessed."""


class Found(NamedTuple):
    """The content of a body."""

    spans: tuple[Span, ...]
    stop: int
    """Position after the body."""


def has_confidential(plan: Layout) -> bool:
    """Return whether any field of a message is confidential."""
    return any(_is_any(item) for item in plan.items)


def _is_any(item: Item) -> bool:
    return any(map(_is_any, item.items)) if item.type == "struct" else _is_confidential(item)


def _is_confidential(item: Item) -> bool:
    if item.type == "bytes":
        return item.name not in OF_GROUPS
    return item.type == "records" or (item.type == "string" and item.name in STRINGS)


def confidential(plan: Layout, data: bytes | bytearray, p: int, end: int) -> Found:
    """Return where confidential bytes stand in the body `data[p:end]`. Raises MALFORMED where it does not fit."""
    walk = _Walk(data, end, flexible=plan.flexible)
    stop = walk.struct(plan.items, p)
    if stop > end:
        raise MalformedError("body ends early")
    return Found(tuple(walk.spans), stop)


class _Walk:
    """Passes over a body by its layout. Positions only grow, and an array has at most as many elements as bytes."""

    def __init__(self, data: bytes | bytearray, end: int, *, flexible: bool) -> None:
        self.spans: list[Span] = []
        self._data, self._end, self._flexible = data, end, flexible

    def struct(self, items: tuple[Item, ...], p: int) -> int:
        for item in items:
            if item.tag < 0:
                p = self._field(item, p)
        return self._tags({item.tag: item for item in items if item.tag >= 0}, p) if self._flexible else p

    def _tags(self, known: dict[int, Item], p: int) -> int:
        count, p = self._number(p)
        for _ in range(count):
            tag, p = self._number(p)
            size, p = self._number(p)
            if tag in known:
                self._field(known[tag], p)
            else:
                self.spans.append((p, p + size))
            p += size
            if p > self._end:
                raise MalformedError("tagged field ends after the body")
        return p

    def _number(self, p: int) -> tuple[int, int]:
        return uvarint(self._data, p)

    def _length(self, p: int, *, short: bool) -> tuple[int, int]:
        """Return a length, negative for null, and the position after it."""
        if self._flexible:
            size, p = self._number(p)
            return size - 1, p
        return (int(_INT16(self._data, p)[0]), p + 2) if short else (int(_INT32(self._data, p)[0]), p + 4)

    def _field(self, item: Item, p: int) -> int:
        if not item.array:
            return self._one(item, p, nullable=item.nullable)
        count, p = self._length(p, short=False)
        if count > self._end - p:
            raise MalformedError("array of more elements than bytes")
        for _ in range(count):
            p = self._one(item, p, nullable=False)
        return p

    def _one(self, item: Item, p: int, *, nullable: bool) -> int:
        if p > self._end:
            raise MalformedError("body ends early")
        if item.type == "struct":
            if nullable and self._data[p] > 127:
                return p + 1
            return self.struct(item.items, p + nullable)
        if item.type in _WIDTHS:
            return p + _WIDTHS[item.type]
        size, p = self._length(p, short=item.type == "string")
        stop = p + max(size, 0)
        if stop > self._end:
            raise MalformedError("field ends after the body")
        if size > 0 and _is_confidential(item):
            self.spans += _of_records(self._data, p, stop) if item.type == "records" else ((p, stop),)
        return stop


def _of_records(data: bytes | bytearray, p: int, end: int) -> Iterator[Span]:
    """Yield what is not kept of batches: everything but their headers. The last one may be cut off."""
    while p < end:
        open_parts = _OPEN.get(data[p + _MAGIC_AT]) if p + _MAGIC_AT < end else None
        (size,) = _INT32(data, p + _SIZE_AT) if open_parts else (-1,)
        stop = min(end, p + _SIZED_FROM + size) if size >= 0 else end
        yield from _between(p, stop, open_parts or ())
        p = max(stop, p + _SIZED_FROM)


def _between(p: int, stop: int, open_parts: tuple[Span, ...]) -> Iterator[Span]:
    """Yield the bytes of `p` to `stop` that are not open; open parts are counted from `p`."""
    at = p
    for low, high in open_parts:
        if at < min(p + low, stop):
            yield at, min(p + low, stop)
        at = min(p + high, stop)
    if at < stop:
        yield at, stop
