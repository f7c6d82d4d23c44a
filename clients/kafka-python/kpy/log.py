"""kafka-python's warnings as notices of the instance whose thread wrote them."""

from __future__ import annotations

import logging
import threading

from driving.reports import Reports


class Notices(logging.Handler):
    """Leads a record to the instance whose client id begins the name of the thread it was written in."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._reports: dict[str, Reports] = {}

    def install(self) -> None:
        """Take all records of the library, and keep them from standard error."""
        logger = logging.getLogger("kafka")
        logger.addHandler(self)
        logger.propagate = False

    def watch(self, client_id: str, reports: Reports) -> None:
        """Lead records of this thread, and of those the library names after the client id, to `reports`."""
        self._reports = {key: item for key, item in self._reports.items() if not item.ended}
        self._reports[client_id] = reports
        self._reports[threading.current_thread().name] = reports

    def handle(self, record: logging.LogRecord) -> bool:
        """Pass one on, without the handler's lock: a thread that is slowed holds up no other one.

        Records of threads that belong to nobody are dropped.
        """
        thread = (record.threadName or "").removesuffix("-network-thread").removesuffix("-heartbeat")
        if reports := self._reports.get(thread):
            reports.log(f"log: {record.getMessage()}")
        return True
