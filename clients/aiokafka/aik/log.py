"""aiokafka's warnings as notices of the instance in whose thread, that of its event loop, they were written."""

from __future__ import annotations

import logging
import threading

from driving.reports import Reports


class Notices(logging.Handler):
    """Leads a record to the instance that runs in the thread."""

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
        """Lead records of this thread to `reports`."""
        self._reports = {key: item for key, item in self._reports.items() if not item.ended}
        self._reports[threading.get_ident()] = reports

    def emit(self, record: logging.LogRecord) -> None:
        """Pass one on; records of threads that belong to nobody are dropped."""
        if reports := self._reports.get(record.thread or 0):
            reports.notice(f"log: {record.getMessage()}")
