"""The transactional workload: one transaction an interval, with one record for each partition.

Where a group is given, each transaction commits an offset of it, as one that consumes, transforms and produces does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from driving.library import Stopping
from driving.reports import Reports, clock_us
from driving.workload import interval_s
from probe.driver_contract import driver_pb2 as pb

PAUSE_S = 0.1
"""Before a call that failed at once is made again."""


class Transactional(Protocol):
    """A producer with transactions. Every method may raise what the library raises."""

    def init(self) -> None:
        """Prepare for transactions."""

    def begin(self) -> None:
        """Begin one."""

    def send(self, partition: int, sequence: int, clock: int) -> object:
        """Produce a record in it, reporting it as sent, and later as acked or failed."""

    def offsets(self, group: str, partition: int, offset: int) -> None:
        """Commit an offset of a group as part of it."""

    def commit(self) -> None:
        """Commit it."""

    def abort(self) -> None:
        """Abort it."""

    def error_of(self, error: BaseException) -> pb.Error:
        """Turn an exception into an error."""

    def may_repeat(self, error: BaseException) -> bool:
        """Say whether the library documents that the call which raised this may be made again."""

    def is_final(self, error: BaseException) -> bool:
        """Say whether the library documents that the producer can only be closed now."""


def transact(start: pb.Start, reports: Reports, stop: Stopping, client: Transactional) -> None:
    """Play until asked to stop. Record n of a partition belongs to transaction n. Raises what is final."""
    play = _Play(start, reports, stop, client)
    if not play.until_done(-1, client.init):
        return
    number, due = 0, time.monotonic()
    while not stop.asked:
        play.transaction(number)
        number += 1
        due = max(due + interval_s(start), time.monotonic())
        stop.wait(due - time.monotonic())


class _Play:
    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping, client: Transactional) -> None:
        self._start = start
        self._reports = reports
        self._stop = stop
        self._client = client

    def transaction(self, number: int) -> None:
        try:
            self._client.begin()
            self._reports.transaction(pb.TXN_BEGUN, number)
            for partition in self._start.partitions:
                self._client.send(partition, number, clock_us())
            if self._start.group:
                self._client.offsets(self._start.group, self._start.partitions[0], number)
            if self.until_done(number, self._client.commit):
                self._reports.transaction(pb.TXN_COMMITTED, number)
        except Exception as error:  # noqa: BLE001  # what is final is raised again below
            self._failed(number, error)

    def _failed(self, number: int, error: BaseException) -> None:
        self._reports.transaction(pb.TXN_ERROR, number, self._client.error_of(error))
        if self._client.is_final(error):
            raise error
        if self.until_done(number, self._client.abort):
            self._reports.transaction(pb.TXN_ABORTED, number)

    def until_done(self, number: int, call: Callable[[], None]) -> bool:
        """Make a call again while it fails in a way that allows that; return false if asked to stop meanwhile."""
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
