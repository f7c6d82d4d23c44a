"""The workload of producing roles: one operation per interval and partition, a bounded number of them in flight."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from driver_runtime.library import Stopping
from driver_runtime.reports import clock_us
from probe.driver_contract import driver_pb2 as pb


def value_of(instance: str, partition: int, sequence: int, clock: int) -> str:
    """Return a record's value (driver.proto, last paragraph)."""
    return f"{instance} {partition} {sequence} {clock}"


def interval_s(start: pb.Start, partition: int | None = None) -> float:
    """Return the present seconds between operations of a partition; a Pace changes them (`Instance.pace`)."""
    shortest_ms = start.bystander_ms if partition == start.bystander else 0
    return max(start.interval_ms, shortest_ms, 1) / 1000


class Ticker:
    """Calls `operation(partition, sequence, clock_us)` once per interval of the start, in a thread per partition.

    A blocked partition does not delay the others; the bystander's interval is at least `bystander_ms`. A tick is
    skipped while `max_in_flight` operations of its partition are in flight. Ticks missed by a long call are not
    repeated.
    """

    def __init__(self, start: pb.Start, operation: Callable[[int, int, int], None]) -> None:
        self._start = start
        self._free: dict[int, threading.Semaphore] = {}
        self._max_in_flight = max(start.max_in_flight, 1)
        self._operation = operation

    def start(self, partitions: Sequence[int], stop: Stopping) -> None:
        """Start the threads; they end once closing is requested."""
        for partition in partitions:
            self._free[partition] = threading.Semaphore(self._max_in_flight)
            arguments = (partition, stop)
            threading.Thread(target=self._run, args=arguments, name=f"ticker-{partition}", daemon=True).start()

    def ended(self, partition: int) -> None:
        """Count an operation as ended, successful or not."""
        self._free[partition].release()

    def _run(self, partition: int, stop: Stopping) -> None:
        sequence, due = 0, time.monotonic()
        while not stop.asked:
            if self._free[partition].acquire(blocking=False):
                self._operation(partition, sequence, clock_us())
                sequence += 1
            due = max(due + interval_s(self._start, partition), time.monotonic())
            stop.wait(due - time.monotonic())
