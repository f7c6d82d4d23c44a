"""The way in which a client fetches a partition."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import Request

LONG_POLL_US = 10_000_000
"""Longest time for which a fetch is taken to wait for records; a client may be set to wait for longer."""
FETCHES_OF_A_READER = 3
"""Good answers from which on fetches may be regular."""


@dataclass(slots=True)
class Reads:
    """The way in which a client fetches a partition."""

    first: int
    """Time of the first good answer."""
    last: int
    """Time of the last request."""
    conn: int
    broker: int
    """Number of the address that was asked last."""
    count: int = 0
    """Good answers."""

    def ask(self, event: Request) -> None:
        """Note a fetch."""
        self.last, self.conn, self.broker = event.at, event.conn, event.broker

    @property
    def regular(self) -> bool:
        """Return whether fetches came at the intervals of a long poll at most."""
        return self.count >= FETCHES_OF_A_READER and self.last - self.first <= LONG_POLL_US * self.count


@dataclass(slots=True)
class Search:
    """The attempts of a client to find its place in a partition (ListOffsets) since it last fetched it."""

    first: int
    """Time of the first request."""
    last: int = 0
    """Time of the last one."""
    asked: int = -1
    """Time of the question who leads before the last attempt; 0 = none before it."""
    attempts: int = 0
    """Requests that followed another question each: the client began anew."""

    def note(self, at: int, asked: int) -> None:
        """Note a request for offsets. `asked` is the time of the last question before it, 0 without one."""
        self.attempts += asked > self.asked
        self.last, self.asked = at, asked
