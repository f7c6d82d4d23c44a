"""Fold errors that an instance reports at a high rate: equal ones become a count.

A reader reports an error as often as its library does. Old librdkafka consumers report tens of thousands per second on
brokers that refuse their requests (`ERR__UNSUPPORTED_FEATURE` on 4.x).
"""

from __future__ import annotations

from dataclasses import replace

from probe.model import App, AppKind

SPAN_US = 1_000_000
FIRST = 100
"""Number of equal errors of a second that remain events of their own."""
SPACING_US = 10_000
"""Further ones remain if they come this long after the last that remained. So its time is never older than that."""
FOLDED = frozenset({AppKind.RECEIVE_ERROR})
"""Errors that end no operation. The others name their operation, and each is needed."""

Key = tuple[int, int, str, str]
"""Partition, and code, name and type of the error. Texts may hold numbers that change."""


class _Kind:
    """The errors that are equal."""

    __slots__ = ("began", "emitted", "last", "left_out")

    def __init__(self, at: int) -> None:
        self.began = self.last = at
        self.emitted = self.left_out = 0


class ErrorFolding:
    """The folding of one instance's errors."""

    def __init__(self) -> None:
        self._kinds: dict[Key, _Kind] = {}

    def take(self, event: App) -> App | None:
        """Return the event with the number of equal ones left out before it, or None where it is left out."""
        if event.kind not in FOLDED:
            return event
        if (kind := self._kinds.get(key := _key(event))) is None:
            kind = self._kinds[key] = _Kind(event.at)
        if event.at - kind.began >= SPAN_US:
            kind.began, kind.emitted = event.at, 0
        if kind.emitted >= FIRST and event.at - kind.last < SPACING_US:
            kind.left_out += 1
            return None
        left_out, kind.left_out = kind.left_out, 0
        kind.emitted, kind.last = kind.emitted + 1, event.at
        return replace(event, left_out=left_out) if left_out else event


def _key(event: App) -> Key:
    error = event.error
    return (event.partition, error.code, error.name, error.type) if error else (event.partition, 0, "", "")
