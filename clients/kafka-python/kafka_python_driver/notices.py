"""kafka-python's warnings as notices of the instance whose thread logged them."""

from __future__ import annotations

import logging
import threading

from driver_runtime.reports import Reports

IO_THREAD = "kafka-io-"
"""Beginning of the name of the thread that connects and logs in, from 3.0 on (kafka/net/selector.py, start)."""
OTHER_THREADS = ("-network-thread", "-heartbeat")
"""Endings of the names of a producer's and of a member's thread (producer/sender.py, coordinator/base.py)."""


class Notices(logging.Handler):
    """Passes a record to the instance whose client id the name of its thread has."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._reports: dict[str, Reports] = {}

    def install(self) -> None:
        """Take all records of the library, and keep them from standard error."""
        logger = logging.getLogger("kafka")
        logger.addHandler(self)
        logger.propagate = False

    def watch(self, client_id: str, reports: Reports) -> None:
        """Pass records of this thread, and of threads named after the client id, to `reports`."""
        self._reports = {key: item for key, item in self._reports.items() if not item.ended}
        self._reports[client_id] = reports
        self._reports[threading.current_thread().name] = reports

    def handle(self, record: logging.LogRecord) -> bool:
        """Report a record, without the handler's lock: a delayed thread must not block another one.

        Records of threads without an instance are dropped.
        """
        thread = (record.threadName or "").removeprefix(IO_THREAD)
        for ending in OTHER_THREADS:
            thread = thread.removesuffix(ending)
        if reports := self._reports.get(thread):
            reports.log(f"log: {record.getMessage()}")
        return True
