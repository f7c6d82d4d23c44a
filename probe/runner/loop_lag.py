"""How late the event loop is: a late loop stamps wrong times, so it is measured, and trials wait for calm.

The loop's thread comes before all others, so it may keep time while clients and brokers get no turn: trials wait for
them, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import os
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from probe.model.clock import now_us

TICK_S = 0.02
KEPT_S = 900
NOTED_MS = 20
"""Smaller delays are not kept."""
CALM_MS = 60
"""Above this in the last second, no new trial starts: what drivers tell takes a few turns of the loop to be read."""
RUNNABLE_PER_CORE = 8.0
"""Above this in the last second, no new trial starts either: a client that waits for its core seems slow to recover."""
LOAD_CHECK_TICKS = 5
LOAD_SAMPLE_S = 0.1
"""Trials start so far apart: a dozen that start at once crowd the machine for a second, and leave it idle the next."""
LOAD_CHECK_S = 0.02
LOADAVG, UPTIME = Path("/proc/loadavg"), Path("/proc/uptime")
SPARE, SPARE_S = 0.25, 4.0
"""Cores that were idle for so much of the last seconds have time for more clients that start."""


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Keep Python's cycle collector out of the loop: with some hundred thousand events alive, one pass is a stall.

    Events and histories hold no cycles, so they go when the last reference does.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


class LoopLag:
    """Measures by a beat: what is beyond the beat was a stall."""

    def __init__(self) -> None:
        self._stalls: deque[tuple[int, int, int]] = deque()
        self._runnable: deque[int] = deque(maxlen=int(1 / TICK_S / LOAD_CHECK_TICKS))
        self._idle: deque[tuple[float, float]] = deque()
        self._passed_at = 0.0

    @contextlib.asynccontextmanager
    async def measuring(self) -> AsyncIterator[None]:
        """Measure while inside."""
        task = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _beat(self) -> None:
        beats = itertools.cycle(range(LOAD_CHECK_TICKS))
        while True:
            before = now_us()
            await asyncio.sleep(TICK_S)
            after = now_us()
            if next(beats) == 0:
                self._look()
            late_ms = (after - before) // 1000 - int(TICK_S * 1000)
            if late_ms >= NOTED_MS:
                self._stalls.append((before, after, late_ms))
            while self._stalls and after - self._stalls[0][1] > KEPT_S * 1_000_000:
                self._stalls.popleft()

    def _look(self) -> None:
        if (count := runnable()) is not None:
            self._runnable.append(count)
        if (idle := idle_s()) is not None:
            now = time.monotonic()
            self._idle.append((now, idle))
            while now - self._idle[0][0] > SPARE_S:
                self._idle.popleft()

    def has_spare(self) -> bool:
        """Say whether cores were idle for a good part of the last seconds; no where nobody tells."""
        if not self._idle:
            return False
        (began, before), (ended, after) = self._idle[0], self._idle[-1]
        return ended - began > SPARE_S / 2 and after - before > SPARE * (ended - began) * (os.cpu_count() or 1)

    def worst_ms(self, since: int, until: int) -> int:
        """Return the longest stall between two times (microseconds)."""
        worst = 0
        for start, end, late in reversed(self._stalls):  # the latest first: mostly the last second is asked for
            if end < since:
                break
            if start <= until:
                worst = max(worst, late)
        return worst

    async def calm(self, patience_s: float = 20.0) -> None:
        """Wait until the loop kept time for a second and the last one to pass is on its way, but not for ever."""
        deadline = time.monotonic() + patience_s
        while (now := time.monotonic()) < deadline:
            if now - self._passed_at >= LOAD_SAMPLE_S and self._keeps_time(int(now * 1e6)) and not self._crowded():
                break
            await asyncio.sleep(LOAD_CHECK_S)
        self._passed_at = now

    def _keeps_time(self, now_us: int) -> bool:
        return self.worst_ms(now_us - 1_000_000, now_us) < CALM_MS

    def _crowded(self) -> bool:
        cores = os.cpu_count() or 1
        return sum(self._runnable) > RUNNABLE_PER_CORE * cores * max(1, len(self._runnable))


def runnable() -> int | None:
    """Return how many threads of this machine want a core now, this one not counted; None where nobody tells."""
    try:
        return int(LOADAVG.read_text().split()[3].partition("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return None


def idle_s() -> float | None:
    """Return how many seconds cores of this machine were idle since it started, all together; None if nobody tells."""
    try:
        return float(UPTIME.read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
