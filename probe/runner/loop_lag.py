"""Delay of the event loop: a delayed loop takes wrong timestamps, so it is measured, and new trials wait.

The loop's thread has priority, so it may be punctual while clients and brokers get no CPU. New trials wait for these,
too.
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
"""With a longer delay in the last second no new trial starts: events of drivers need some turns of the loop."""
RUNNABLE_PER_CORE = 8.0
"""With more runnable threads per core in the last second no new trial starts: clients that wait for CPU seem slow."""
LOAD_CHECK_TICKS = 5
LOAD_SAMPLE_S = 0.1
"""Time between two starts of trials: a dozen at once would overload the machine, and leave it idle afterwards."""
LOAD_CHECK_S = 0.02
LOADAVG, UPTIME = Path("/proc/loadavg"), Path("/proc/uptime")
SPARE, SPARE_S = 0.25, 4.0
"""Share of idle time of all cores, over these seconds, with which more clients may start."""


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Turn Python's cycle collector off inside the block: with many events alive, one pass would block the loop.

    Events and histories hold no cycles, so they are freed with the last reference.
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
    """Measures delays by short sleeps: the time beyond the sleep is a stall."""

    def __init__(self) -> None:
        self._stalls: deque[tuple[int, int, int]] = deque()
        self._runnable: deque[int] = deque(maxlen=int(1 / TICK_S / LOAD_CHECK_TICKS))
        self._idle: deque[tuple[float, float]] = deque()
        self._passed_at = 0.0

    @contextlib.asynccontextmanager
    async def measuring(self) -> AsyncIterator[None]:
        """Measure inside the block."""
        task = asyncio.create_task(self._measure())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _measure(self) -> None:
        ticks = itertools.cycle(range(LOAD_CHECK_TICKS))
        while True:
            before = now_us()
            await asyncio.sleep(TICK_S)
            after = now_us()
            if next(ticks) == 0:
                self._sample_load()
            late_ms = (after - before) // 1000 - int(TICK_S * 1000)
            if late_ms >= NOTED_MS:
                self._stalls.append((before, after, late_ms))
            while self._stalls and after - self._stalls[0][1] > KEPT_S * 1_000_000:
                self._stalls.popleft()

    def _sample_load(self) -> None:
        if (count := runnable()) is not None:
            self._runnable.append(count)
        if (idle := idle_s()) is not None:
            now = time.monotonic()
            self._idle.append((now, idle))
            while now - self._idle[0][0] > SPARE_S:
                self._idle.popleft()

    def has_spare(self) -> bool:
        """Return whether cores were idle for a good part of the last seconds; False if that is unknown."""
        if not self._idle:
            return False
        (began, before), (ended, after) = self._idle[0], self._idle[-1]
        return ended - began > SPARE_S / 2 and after - before > SPARE * (ended - began) * (os.cpu_count() or 1)

    def worst_ms(self, since: int, until: int) -> int:
        """Return the longest stall between two times (microseconds), in milliseconds."""
        worst = 0
        for start, end, late in reversed(self._stalls):  # callers mostly ask for the last second
            if end < since:
                break
            if start <= until:
                worst = max(worst, late)
        return worst

    async def calm(self, patience_s: float = 20.0) -> None:
        """Wait, at most `patience_s`, for a punctual loop, a low load, and some time since the last start."""
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
    """Return the number of other threads of this machine that are runnable; None if unknown."""
    try:
        return int(LOADAVG.read_text().split()[3].partition("/")[0]) - 1
    except (OSError, ValueError, IndexError):
        return None


def idle_s() -> float | None:
    """Return the idle time of all cores since the machine's start, in seconds; None if unknown."""
    try:
        return float(UPTIME.read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
