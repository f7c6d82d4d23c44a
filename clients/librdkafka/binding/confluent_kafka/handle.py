"""A client of the C library: created from settings, its error and log callbacks, its end."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from confluent_kafka.clib import ON_ERROR, ON_LOG, C, text
from confluent_kafka.errors import KafkaError, KafkaException

TEXT = 512
PRODUCER, CONSUMER = 0, 1
LEVELS = (50, 50, 50, 40, 30, 20, 20, 10)
"""Python's log levels by syslog's, as in confluent-kafka."""


class Handle:
    """One rd_kafka_t. Subclasses add their callbacks to the configuration."""

    def __init__(self, kind: int, settings: Mapping[str, Any]) -> None:
        self._error_cb = settings.get("error_cb")
        self._logger = settings.get("logger")
        # The C library keeps only their addresses.
        self._kept: list[Any] = [ON_ERROR(self._error), ON_LOG(self._log)]
        self._rk = self._new(kind, {key: value for key, value in settings.items() if isinstance(value, str)})
        C.set_log_queue(self._rk, None)  # log lines wait for poll() like all callbacks

    def _new(self, kind: int, settings: Mapping[str, str]) -> int:
        conf = C.conf_new()
        why = ctypes.create_string_buffer(TEXT)
        if self._fill(conf, settings, why) and (made := C.new(kind, conf, why, TEXT)):
            return int(made)
        C.conf_destroy(conf)
        raise KafkaException(KafkaError(KafkaError._INVALID_ARG, text(why.value)))  # noqa: SLF001  # its name

    def _fill(self, conf: int, settings: Mapping[str, str], why: ctypes.Array[ctypes.c_char]) -> bool:
        """Apply settings and callbacks; return false, with the reason in `why`, if a setting is rejected."""
        for key, value in {**settings, "log.queue": "true"}.items():
            if C.conf_set(conf, key.encode(), value.encode(), why, TEXT):
                return False
        C.conf_set_error_cb(conf, self._kept[0])
        C.conf_set_log_cb(conf, self._kept[1])
        self._add_callbacks(conf)
        return True

    def _add_callbacks(self, conf: int) -> None:
        """Add the callbacks of producers or of consumers."""
        raise NotImplementedError

    def _error(self, rk: int, code: int, reason: bytes, _: int) -> None:
        if self._error_cb is None:
            return
        if code == KafkaError._FATAL:  # noqa: SLF001  # the library's name of a public constant
            why = ctypes.create_string_buffer(TEXT)
            self._error_cb(KafkaError(C.fatal_error(rk, why, TEXT), text(why.value), fatal=True))
        else:
            self._error_cb(KafkaError(code, text(reason)))

    def _log(self, rk: int, level: int, facility: bytes, line: bytes) -> None:
        if self._logger is not None:
            name = text(C.name(rk)) if rk else ""
            self._logger.log(LEVELS[min(level, 7)], "%s [%s] %s", text(facility), name, text(line))

    def _destroy(self) -> None:
        rk, self._rk = getattr(self, "_rk", 0), 0  # none if it could not be made
        if rk:
            C.destroy(rk)

    def __del__(self) -> None:
        """Free the C library's side, as the extension module does."""
        self._destroy()
