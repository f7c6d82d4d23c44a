"""A driver's clock on the orchestrator's: offset and its error bound, from pings."""

from __future__ import annotations

from probe.recorder import now_us

STALE_US = 30_000_000
"""A better bound than newer pings give is kept so long; clocks drift some microseconds a second at most."""


class Clock:
    """Measures by pings: half the round trip bounds the error."""

    def __init__(self) -> None:
        self._sent: dict[int, int] = {}
        self._next = 0
        self._measured_at = 0
        self.offset_us = 0
        """Orchestrator's clock minus the driver's."""
        self.error_us = 1_000_000

    def ping(self) -> int:
        """Start a measurement; return its id."""
        self._next += 1
        self._sent[self._next] = now_us()
        return self._next

    def pong(self, identity: int, clock_us: int) -> None:
        """End a measurement; keep it if it is better than what is known, or that is old."""
        now = now_us()
        sent = self._sent.pop(identity, None)
        if sent is None:
            return
        error = (now - sent) // 2
        if error <= self.error_us or now - self._measured_at > STALE_US:
            self.offset_us = (sent + now) // 2 - clock_us
            self.error_us = error
            self._measured_at = now
