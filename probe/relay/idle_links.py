"""The links over which nothing has passed for a time. Sans-io."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from probe.relay.link import Link


class IdleLinks:
    """Compares the frames of links from one look to the next, so that busy links cost nothing in between."""

    def __init__(self, after_us: int) -> None:
        """Take links for idle over which no frame has passed for this time."""
        self._after_us = after_us
        self._seen: dict[int, tuple[int, int]] = {}
        """Connection number to (number of frames, time at which it was first seen)."""

    def look(self, links: Iterable[Link], at: int) -> Iterator[Link]:
        """Yield the open links that are idle at `at`, in microseconds."""
        for link in links:
            talk = link.conversation
            count = talk.requests.total() + talk.responses.total()
            before = self._seen.get(talk.conn)
            if before is None or before[0] != count:
                self._seen[talk.conn] = (count, at)
            elif at - before[1] >= self._after_us and not link.closed_by:
                yield link
