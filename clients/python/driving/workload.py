"""The workload every producing role does: one operation each interval per partition, a bounded number outstanding."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from driving.library import Stopping
from driving.reports import clock_us
from probe.driver_contract import driver_pb2 as pb


def value_of(instance: str, partition: int, sequence: int, clock: int) -> str:
    """Return a record's value (driver.proto, last paragraph)."""
    return f"{instance} {partition} {sequence} {clock}"


def interval_s(start: pb.Start, partition: int | None = None) -> float:
    """Return the seconds between operations, now: a Pace changes them (`Instance.pace`)."""
    least_ms = start.bystander_ms if partition == start.bystander else 0
    return max(start.interval_ms, least_ms, 1) / 1000


class Beats:
    """Calls `operation(partition, sequence, clock_us)` each `interval_ms` of the start, in a thread per partition.

    The bystander's turn comes each `bystander_ms` at the most often.

    A partition whose library call blocks delays no other. A beat is skipped when `max_in_flight` operations of its
    partition are outstanding, or when the call before it lasted beyond it: there are no bursts to catch up.
    """

    def __init__(self, start: pb.Start, operation: Callable[[int, int, int], None]) -> None:
        self._start = start
        self._room: dict[int, threading.Semaphore] = {}
        self._max_in_flight = max(start.max_in_flight, 1)
        self._operation = operation

    def start(self, partitions: Sequence[int], stop: Stopping) -> None:
        """Begin; the threads end by themselves when closing is asked for."""
        for partition in partitions:
            self._room[partition] = threading.Semaphore(self._max_in_flight)
            arguments = (partition, stop)
            threading.Thread(target=self._beat, args=arguments, name=f"beat-{partition}", daemon=True).start()

    def ended(self, partition: int) -> None:
        """Take note that an operation ended, well or not."""
        self._room[partition].release()

    def _beat(self, partition: int, stop: Stopping) -> None:
        sequence, due = 0, time.monotonic()
        while not stop.asked:
            if self._room[partition].acquire(blocking=False):
                self._operation(partition, sequence, clock_us())
                sequence += 1
            due = max(due + interval_s(self._start, partition), time.monotonic())
            stop.wait(due - time.monotonic())
