"""The workload of producing roles: operations per interval and partition or key, a bounded number of them in flight."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from driver_runtime.library import Stopping
from driver_runtime.reports import clock_us
from driver_runtime.series import Series, is_keyed
from probe.driver_contract import driver_pb2 as pb


def value_of(instance: str, partition: int, sequence: int, clock: int) -> str:
    """Return a record's value (driver.proto, last paragraph)."""
    return f"{instance} {partition} {sequence} {clock}"


def interval_s(start: pb.Start, partition: int | None = None) -> float:
    """Return the present seconds between operations of a partition; a Pace changes them (`Instance.pace`)."""
    shortest_ms = start.bystander_ms if partition == start.bystander else 0
    return max(start.interval_ms, shortest_ms, 1) / 1000


class Ticker:
    """Calls `operation(partition, sequence, clock_us)` per interval of the start, in a thread per series.

    A blocked partition or key does not delay the others; the bystander's interval is at least `bystander_ms`. At most
    `max_in_flight` operations of a series are in flight: a burst begins as a whole or not at all. Ticks missed by a
    long call are not repeated.
    """

    def __init__(self, start: pb.Start, operation: Callable[[int, int, int], None]) -> None:
        self._start = start
        self._free: dict[int, threading.Semaphore] = {}
        self._max_in_flight = start.max_in_flight
        self._operation = operation

    def start(self, series: Sequence[Series], stop: Stopping) -> None:
        """Start the threads; they end once closing is requested."""
        for one in series:
            name = self._name(one.partition, one.first)
            self._free[name] = threading.Semaphore(max(self._max_in_flight, one.batch))
            arguments = (one, self._free[name], stop)
            threading.Thread(target=self._run, args=arguments, name=f"ticker-{name}", daemon=True).start()

    def ended(self, partition: int, sequence: int) -> None:
        """Count an operation as ended, successful or not; it is named as when it began."""
        self._free[self._name(partition, sequence)].release()

    def _name(self, partition: int, sequence: int) -> int:
        return sequence % len(self._start.keys) if is_keyed(self._start) else partition

    def _run(self, series: Series, free: threading.Semaphore, stop: Stopping) -> None:
        sequence, due = series.first, time.monotonic()
        while not stop.asked:
            for _ in range(series.batch if _acquired(free, series.batch) else 0):
                if stop.asked:
                    break
                self._operation(series.partition, sequence, clock_us())
                sequence += series.step
            due = max(due + interval_s(self._start, series.partition), time.monotonic())
            stop.wait(due - time.monotonic())


def _acquired(free: threading.Semaphore, count: int) -> bool:
    """Acquire a semaphore this often without blocking, or not at all; return whether it is."""
    taken = 0
    while taken < count and free.acquire(blocking=False):
        taken += 1
    if 0 < taken < count:
        free.release(taken)
    return taken == count
