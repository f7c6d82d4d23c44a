"""The workload of role transactional: one transaction per interval, with the records of its workload.

With a group, every transaction commits one of its offsets, as a consume-transform-produce application does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports, clock_us
from driver_runtime.series import in_transaction
from driver_runtime.workload import interval_s
from probe.driver_contract import driver_pb2 as pb

PAUSE_S = 0.1
"""Seconds before a failed call is repeated."""


class Transactional(Protocol):
    """A producer with transactions. Every method may raise what the library raises."""

    def init(self) -> None:
        """Prepare for transactions."""

    def begin(self) -> None:
        """Begin a transaction."""

    def send(self, partition: int, sequence: int, clock: int) -> object:
        """Produce a record in it; report it as sent, and later as acked or failed."""

    def offsets(self, group: str, partition: int, offset: int) -> None:
        """Commit an offset of a group as part of it."""

    def commit(self) -> None:
        """Commit it."""

    def abort(self) -> None:
        """Abort it."""

    def error_of(self, error: BaseException) -> pb.Error:
        """Convert an exception to an error of driver.proto."""

    def may_repeat(self, error: BaseException) -> bool:
        """Return whether the library documents that the call may be repeated after this exception."""

    def is_final(self, error: BaseException) -> bool:
        """Return whether the library documents that the producer can only be closed after this exception."""


def run_transactions(start: pb.Start, reports: Reports, stop: Stopping, client: Transactional) -> None:
    """Run transactions until closing is requested.

    Raises the exception after which the producer can only be closed.
    """
    run = _Run(start, reports, stop, client)
    if not run.repeat_until_done(-1, client.init):
        return
    number, due = 0, time.monotonic()
    while not stop.asked:
        run.transaction(number)
        number += 1
        due = max(due + interval_s(start), time.monotonic())
        stop.wait(due - time.monotonic())


class _Run:
    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping, client: Transactional) -> None:
        self._start = start
        self._reports = reports
        self._stop = stop
        self._client = client

    def transaction(self, number: int) -> None:
        try:
            self._client.begin()
            self._reports.transaction(pb.TXN_BEGUN, number)
            for partition, sequence in in_transaction(self._start, number):
                self._client.send(partition, sequence, clock_us())
            if self._start.group:
                self._client.offsets(self._start.group, self._start.partitions[0], number)
            if handler_s := self._reports.handling():
                self._stop.wait(handler_s)
            if self.repeat_until_done(number, self._client.commit):
                self._reports.transaction(pb.TXN_COMMITTED, number)
        except Exception as error:  # noqa: BLE001  # final exceptions are raised again below
            self._failed(number, error)

    def _failed(self, number: int, error: BaseException) -> None:
        self._reports.transaction(pb.TXN_ERROR, number, self._client.error_of(error))
        if self._client.is_final(error):
            raise error
        if self.repeat_until_done(number, self._client.abort):
            self._reports.transaction(pb.TXN_ABORTED, number)

    def repeat_until_done(self, number: int, call: Callable[[], None]) -> bool:
        """Repeat a call while the library allows that; return false if closing is requested meanwhile."""
        while not self._stop.asked:
            try:
                call()
            except Exception as error:
                if not self._client.may_repeat(error):
                    raise
                self._reports.transaction(pb.TXN_ERROR, number, self._client.error_of(error))
                self._stop.wait(PAUSE_S)
            else:
                return True
        return False
