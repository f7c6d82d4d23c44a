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
