"""aiokafka's warnings as notices of the instance whose event loop logged them."""

from __future__ import annotations

import logging
import threading

from driver_runtime.reports import Reports


class Notices(logging.Handler):
    """Passes a record to the instance that runs in its thread."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._reports: dict[int, Reports] = {}

    def install(self) -> None:
        """Take all records of the library and of its event loops, and keep them from standard error."""
        for name in ("aiokafka", "kafka", "asyncio"):
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.propagate = False

    def watch(self, reports: Reports) -> None:
        """Pass records of this thread to `reports`."""
        self._reports = {key: item for key, item in self._reports.items() if not item.ended}
        self._reports[threading.get_ident()] = reports

    def emit(self, record: logging.LogRecord) -> None:
        """Report a record; records of threads without an instance are dropped."""
        if reports := self._reports.get(record.thread or 0):
            reports.notice(f"log: {record.getMessage()}")
