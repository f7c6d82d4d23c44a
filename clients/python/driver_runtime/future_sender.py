"""Sends records through a library of asyncio, whose results come by the futures that its producer returns."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from driver_runtime.event_loop import LoopCaller
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.series import destination
from driver_runtime.workload import value_of
from probe.driver_contract import driver_pb2 as pb


class FutureSender(ABC):
    """Sends records and reports their results. To be made in the loop of the library's producer."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._stop = stop
        self._client = client
        self.bridge = LoopCaller()
        self.ended: Callable[[int, int], None] = lambda _, __: None
        """Called with partition and sequence, as sent, of every operation that ended."""

    def send(self, partition: int, sequence: int, clock: int) -> None:
        """Pass a record to the library, from a thread of the driver; wait until it was taken."""
        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            self.bridge.call(self._send(partition, sequence, value))
        except Exception as error:  # noqa: BLE001  # the application gets any exception of the call
            self._refused(partition, sequence, error)

    @abstractmethod
    async def _produce(self, value: bytes, where: Mapping[str, Any]) -> asyncio.Future[Any]:
        """Pass a record to the library; return the future of its result."""

    @staticmethod
    @abstractmethod
    def _place(stored: Any) -> tuple[int, int]:
        """Return partition and offset of a result."""

    @staticmethod
    @abstractmethod
    def _error_of(error: BaseException) -> Any:
        """Return an error of the library as reports have it."""

    async def _send(self, partition: int, sequence: int, value: str) -> None:
        future = await self._produce(value.encode(), destination(self._start, partition, sequence))
        future.add_done_callback(lambda done: self._done(partition, sequence, done))

    def _done(self, partition: int, sequence: int, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._failed(partition, sequence, error)
        else:
            written, offset = self._place(done.result())
            self._reports.acked(written, sequence, offset)
            self.ended(partition, sequence)

    def _refused(self, partition: int, sequence: int, error: BaseException) -> None:
        """Treat a record that the call itself did not take."""
        self._failed(partition, sequence, error)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        self._reports.send_error(partition, sequence, self._error_of(error))
        self.ended(partition, sequence)
