"""librdkafka's client-wide errors and log lines as notices."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from driver_runtime.reports import Reports


class Notices:
    """Receives client-wide errors of one instance; keeps the first fatal one."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._fatal: KafkaError | None = None

    def callbacks(self) -> dict[str, Callable[..., None] | logging.Logger]:
        """Return the settings that pass errors and log lines to this object; poll() serves them."""
        return {"error_cb": self.error, "logger": _logger(self._reports)}

    def error(self, error: KafkaError) -> None:
        """Report a client-wide error."""
        self._reports.notice(f"{error.name()}: {error.str()}")
        if error.fatal():
            self._fatal = error

    def check(self) -> None:
        """Raise KafkaException if the client reported that it is unusable."""
        if self._fatal is not None:
            raise KafkaException(self._fatal)


def _logger(reports: Reports) -> logging.Logger:
    logger = logging.Logger("librdkafka")
    logger.addHandler(_LogHandler(reports))
    return logger


class _LogHandler(logging.Handler):
    def __init__(self, reports: Reports) -> None:
        super().__init__()
        self._reports = reports

    def emit(self, record: Any) -> None:
        self._reports.notice(f"log: {record.getMessage()}")
