"""A driver's clock on the orchestrator's: offset and its error bound, from pings."""

from __future__ import annotations

from probe.model.clock import now_us

DRIFT = 1e-4
"""A bound grows by this share of the time since: clocks drift some microseconds a second at most. A ping that met a
busy machine is off by a tenth of a second, and must not take the place of a good one because that is old."""
TRUSTED_US = 20_000
"""A bound that is good enough to begin with. A driver that has just started may answer its first pings after half a
second, and all its events were 0.2 s early until the next ones came."""


class Clock:
    """Measures by pings: half the round trip bounds the error."""

    def __init__(self) -> None:
        self._sent: dict[int, int] = {}
        self._next = 0
        self._measured_at = 0
        self.offset_us = 0
        """Orchestrator's clock minus the driver's."""
        self.error_us = 1_000_000
        self.bound_us = self.error_us
        """Error bound of the time that `at` told last."""
        self._last = (0, 0)

    @property
    def known(self) -> bool:
        """Say whether anything was measured."""
        return self._measured_at > 0

    @property
    def trusted(self) -> bool:
        """Say whether events may begin: the bound is small beside what is measured."""
        return self.error_us <= TRUSTED_US

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
        if error <= self.error_us + DRIFT * (now - self._measured_at):
            self.offset_us = (sent + now) // 2 - clock_us
            self.error_us = error
            self._measured_at = now

    def at(self, clock_us: int) -> int:
        """Return a time of the driver's on the orchestrator's clock; a new measurement changes no order of events."""
        at = clock_us + self.offset_us
        told = self._in_order(clock_us, at)
        self.bound_us = self.error_us + abs(told - at)
        return told

    def _in_order(self, clock_us: int, at: int) -> int:
        clock, last = self._last
        if clock_us < clock:
            return min(max(at, last - (clock - clock_us)), last)
        self._last = (clock_us, max(at, last))
        return self._last[1]
