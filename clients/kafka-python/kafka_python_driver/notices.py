"""kafka-python's warnings as notices of the instance whose thread logged them."""

from __future__ import annotations

import logging
import threading

from driver_runtime.reports import Reports


class Notices(logging.Handler):
    """Passes a record to the instance whose client id begins the name of its thread."""

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
        thread = (record.threadName or "").removesuffix("-network-thread").removesuffix("-heartbeat")
        if reports := self._reports.get(thread):
            reports.log(f"log: {record.getMessage()}")
        return True
