"""librdkafka's client-wide error channel and log lines, as notices."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from driving.reports import Reports


class Channel:
    """Collects client-wide errors of one instance; remembers the first fatal one."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._fatal: KafkaError | None = None

    def callbacks(self) -> dict[str, Callable[..., None] | logging.Logger]:
        """Return the settings that lead errors and log lines here; they are served by poll()."""
        return {"error_cb": self.error, "logger": _logger(self._reports)}

    def error(self, error: KafkaError) -> None:
        """Take a client-wide error."""
        self._reports.notice(f"{error.name()}: {error.str()}")
        if error.fatal():
            self._fatal = error

    def check(self) -> None:
        """Raise KafkaException if the client said that it is unusable."""
        if self._fatal is not None:
            raise KafkaException(self._fatal)


def _logger(reports: Reports) -> logging.Logger:
    logger = logging.Logger("librdkafka")
    logger.addHandler(_Notices(reports))
    return logger


class _Notices(logging.Handler):
    def __init__(self, reports: Reports) -> None:
        super().__init__()
        self._reports = reports

    def emit(self, record: Any) -> None:
        self._reports.notice(f"log: {record.getMessage()}")
