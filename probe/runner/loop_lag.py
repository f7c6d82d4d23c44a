"""State of the machine during a run: delay of the event loop, idle cores, memory. Everything is measured here.

A delayed loop takes wrong timestamps. The loop's thread has priority, so it may be punctual while clients and brokers
get no CPU: that shows in the number of runnable threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator

from probe.model.clock import now_us
from probe.processes.machine import CpuTimes, MachineFiles
from probe.processes.tasks import beside
from probe.runner.capacity import HOLD, PASSING, Caps, Machine, Trials, limited_by

TICK_S = 0.02
KEPT_S = 900
NOTED_MS = 20
"""Smaller delays are not kept."""
SAMPLE_TICKS, MEMORY_SAMPLES = 5, 5
"""Turns of the loop between two samples of the cores' counters, and samples of these between two of memory."""
RECENT_S = 0.5
"""Time over which idle cores and runnable threads are averaged for the next start."""
MIN_SAMPLES = 2
CHECK_S = 0.02
SPARE, SPARE_S = 0.25, 4.0
"""Share of idle time of all cores, over these seconds, with which a further cohort may start."""


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
    """Measures delays by short sleeps (the time beyond the sleep is a stall), and samples the machine in between."""

    def __init__(self, files: MachineFiles | None = None) -> None:
        self._stalls: deque[tuple[int, int, int]] = deque()
        self._files = files or MachineFiles()
        self._cores = max(0.1, self._files.cores)
        self._cpu: deque[tuple[float, CpuTimes]] = deque()
        self._memory_mb = self._files.available_mb()

    @contextlib.asynccontextmanager
    async def measuring(self) -> AsyncIterator[None]:
        """Measure inside the block."""
        async with beside(self._measure()):
            yield

    async def _measure(self) -> None:
        ticks = itertools.cycle(range(SAMPLE_TICKS * MEMORY_SAMPLES))
        while True:
            before = now_us()
            await asyncio.sleep(TICK_S)
            after = now_us()
            tick = next(ticks)
            if tick % SAMPLE_TICKS == 0:
                self._sample_cpu()
            if tick == 0:
                self._memory_mb = self._files.available_mb()
            late_ms = (after - before) // 1000 - int(TICK_S * 1000)
            if late_ms >= NOTED_MS:
                self._stalls.append((before, after, late_ms))
            while self._stalls and after - self._stalls[0][1] > KEPT_S * 1_000_000:
                self._stalls.popleft()

    def _sample_cpu(self) -> None:
        if (times := self._files.cpu()) is not None:
            now = time.monotonic()
            self._cpu.append((now, times))
            while now - self._cpu[0][0] > SPARE_S:
                self._cpu.popleft()

    def machine(self) -> Machine:
        """Return the state of the machine in the last moments."""
        recent = self._since(RECENT_S)
        runnable = sum(times.runnable for _, times in recent) / max(1, len(recent)) / self._cores
        return Machine(
            cores=self._cores,
            idle=self._idle(recent),
            runnable=runnable,
            lag_ms=self._held_ms(now_us()),
            memory_mb=self._memory_mb,
        )

    def has_spare(self) -> bool:
        """Return whether cores were idle for a good part of the last seconds; False if that is unknown."""
        samples = self._since(SPARE_S)
        idle = self._idle(samples)
        return idle is not None and samples[-1][0] - samples[0][0] > SPARE_S / 2 and idle > SPARE

    def _since(self, seconds: float) -> list[tuple[float, CpuTimes]]:
        if not self._cpu:
            return []
        last = self._cpu[-1][0]
        return list(itertools.takewhile(lambda sample: last - sample[0] <= seconds, reversed(self._cpu)))[::-1]

    def _idle(self, samples: list[tuple[float, CpuTimes]]) -> float | None:
        """Return the share of idle time, which a quota of the control group may lower; None if it is unknown."""
        if len(samples) < MIN_SAMPLES:
            return None
        (began, first), (ended, last) = samples[0], samples[-1]
        idle = (last.idle_s - first.idle_s) / (ended - began)
        if first.group_s is not None and last.group_s is not None:
            idle = min(idle, self._cores - (last.group_s - first.group_s) / (ended - began))
        return min(1.0, max(0.0, idle / self._cores))

    def worst_ms(self, since: int, until: int) -> int:
        """Return the longest stall between two times (microseconds), in milliseconds."""
        worst = 0
        for start, end, late in reversed(self._stalls):  # callers mostly ask for the last second
            if end < since:
                break
            if start <= until:
                worst = max(worst, late)
        return worst

    def _held_ms(self, now: int) -> int:
        """Return the longest stall that ended less than `HOLD` times its length ago, in milliseconds."""
        recent = itertools.takewhile(lambda stall: now - stall[1] < HOLD * RECENT_S * 1e6, reversed(self._stalls))
        return max((late for _, end, late in recent if now - end < HOLD * late * 1000), default=0)

    async def calm(self, patience_s: float = 20.0) -> None:
        """Wait, at most `patience_s`, for a punctual loop and a low load."""
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            if limited_by(self.machine(), Trials(), Caps()) not in PASSING:
                break
            await asyncio.sleep(CHECK_S)
