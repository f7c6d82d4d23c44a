"""The times that files cover: what ends with a file is no silence."""

from __future__ import annotations

from collections.abc import Iterable

GAP_US = 10_000_000
"""Files that follow each other within this time are one recording, as rotated ones are."""
Span = list[int]
"""Times of the first and the last packet or line of a file, of any kind; microseconds since 1970."""


def watched_until(spans: Iterable[Span], at: int) -> int:
    """Return the end of the recording that goes on from a time on."""
    end = at
    for first, last in sorted(spans):
        if first <= end + GAP_US:
            end = max(end, last)
    return end
