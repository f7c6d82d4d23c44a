"""Conversion of a driver's clock to the orchestrator's: offset and its error bound, measured by pings."""

from __future__ import annotations

import asyncio

from probe.model.clock import now_us

DRIFT = 1e-4
"""Growth of an error bound per time: clocks drift by some microseconds per second. Slow growth keeps a ping to a busy
machine, which is far off, from replacing a good one because that is old."""
TRUSTED_US = 20_000
"""Largest error bound with which events may begin. A driver that has just started may answer its first pings late, and
its events would get wrong times."""
POLL_S = 0.05
LATEST_US = 2**62
"""Latest time of an event: a driver may report any 64 bits, and a trial stores the sum with its offset in as many."""


class Clock:
    """Measures by pings: half of the round trip bounds the error."""

    def __init__(self) -> None:
        self._sent: dict[int, int] = {}
        self._next = 0
        self._measured_at = 0
        self.offset_us = 0
        """Orchestrator's clock minus the driver's."""
        self.error_us = 1_000_000
        self.bound_us = self.error_us
        """Error bound of the last time that `at` returned."""
        self._last = (0, 0)

    @property
    def known(self) -> bool:
        """Whether there is a measurement."""
        return self._measured_at > 0

    @property
    def trusted(self) -> bool:
        """Whether the error bound is small enough for events to begin."""
        return self.error_us <= TRUSTED_US

    def ping(self) -> int:
        """Start a measurement; return its id."""
        self._next += 1
        self._sent[self._next] = now_us()
        return self._next

    def pong(self, identity: int, clock_us: int) -> None:
        """End a measurement; keep it if its bound is at most the known one with its growth since."""
        now = now_us()
        sent = self._sent.pop(identity, None)
        if sent is None:
            return
        error = (now - sent) // 2
        if error <= self.error_us + DRIFT * (now - self._measured_at):
            self.offset_us = (sent + now) // 2 - clock_us
            self.error_us = error
            self._measured_at = now

    async def answered(self, identity: int, within_s: float) -> bool:
        """Return whether a ping is answered in time."""
        for _ in range(round(within_s / POLL_S)):
            if identity not in self._sent:
                return True
            await asyncio.sleep(POLL_S)
        return identity not in self._sent

    def at(self, clock_us: int) -> int:
        """Return a driver's time on the orchestrator's clock, from 0 to `LATEST_US`.

        New measurements do not change the order of events.
        """
        at = max(0, min(clock_us + self.offset_us, LATEST_US))
        ordered = self._in_order(clock_us, at)
        self.bound_us = self.error_us + abs(ordered - at)
        return ordered

    def _in_order(self, clock_us: int, at: int) -> int:
        clock, last = self._last
        if clock_us < clock:
            return min(max(at, last - (clock - clock_us)), last)
        self._last = (clock_us, max(at, last))
        return self._last[1]
