"""The workload of producing roles: operations per interval and partition or key, a bounded number of them in flight."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from driver_runtime.library import Stopping
from driver_runtime.reports import clock_us
from driver_runtime.series import Series, is_keyed
from probe.driver_contract import driver_pb2 as pb

OWN_THREADS = 16
"""Most series of an instance that have a thread each. More of them, as in sweeps of cost, share one."""


def value_of(instance: str, partition: int, sequence: int, clock: int) -> str:
    """Return a record's value (driver.proto, last paragraph)."""
    return f"{instance} {partition} {sequence} {clock}"


def interval_s(start: pb.Start, partition: int | None = None) -> float:
    """Return the present seconds between operations of a partition; a Pace changes them (`Instance.pace`)."""
    shortest_ms = start.bystander_ms if partition == start.bystander else 0
    return max(start.interval_ms, shortest_ms, 1) / 1000


@dataclass(slots=True)
class _Turns:
    """The operations of a series: those in flight, and the next one."""

    series: Series
    free: threading.Semaphore
    sequence: int


class Ticker:
    """Calls `operation(partition, sequence, clock_us)` per interval of the start.

    Up to `OWN_THREADS` series have a thread each, and a blocked partition or key does not delay the others; more of
    them share one, as in an application with one thread. The bystander's interval is at least `bystander_ms`. At most
    `max_in_flight` operations of a series are in flight: a burst begins as a whole or not at all. Ticks missed by a
    long call are not repeated.
    """

    def __init__(self, start: pb.Start, operation: Callable[[int, int, int], None]) -> None:
        self._start = start
        self._turns: dict[int, _Turns] = {}
        self._max_in_flight = start.max_in_flight
        self._operation = operation

    def start(self, series: Sequence[Series], stop: Stopping) -> None:
        """Start the threads; they end once closing is requested."""
        for one in series:
            free = threading.Semaphore(max(self._max_in_flight, one.batch))
            self._turns[self._name(one.partition, one.first)] = _Turns(one, free, one.first)
        work = {f"ticker-{name}": [turns] for name, turns in self._turns.items()}
        if len(work) > OWN_THREADS:
            work = {"ticker": list(self._turns.values())}
        for name, every in work.items():
            threading.Thread(target=self._run, args=(every, stop), name=name, daemon=True).start()

    def ended(self, partition: int, sequence: int) -> None:
        """Count an operation as ended, successful or not; it is named as when it began."""
        self._turns[self._name(partition, sequence)].free.release()

    def _name(self, partition: int, sequence: int) -> int:
        return sequence % len(self._start.keys) if is_keyed(self._start) else partition

    def _run(self, every: Sequence[_Turns], stop: Stopping) -> None:
        now = time.monotonic()
        queue = [(now, place) for place in range(len(every))]
        while not stop.asked:
            due, place = queue[0]
            wait_s = due - time.monotonic()
            if wait_s > 0 and stop.wait(wait_s):
                return
            heapq.heapreplace(queue, (self._begin(every[place], due, stop), place))

    def _begin(self, turns: _Turns, due: float, stop: Stopping) -> float:
        """Begin what is due of a series, and return when it is due next."""
        series = turns.series
        for _ in range(series.batch if _acquired(turns.free, series.batch) else 0):
            if stop.asked:
                break
            self._operation(series.partition, turns.sequence, clock_us())
            turns.sequence += series.step
        return max(due + interval_s(self._start, series.partition), time.monotonic())


def _acquired(free: threading.Semaphore, count: int) -> bool:
    """Acquire a semaphore this often without blocking, or not at all; return whether it is."""
    taken = 0
    while taken < count and free.acquire(blocking=False):
        taken += 1
    if 0 < taken < count:
        free.release(taken)
    return taken == count
