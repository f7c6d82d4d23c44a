"""librdkafka's errors: a code, or an error object with more detail (rd_kafka_error_t, since 1.4)."""

from __future__ import annotations

from confluent_kafka.clib import C, text


class KafkaError:
    """An error code with its text and librdkafka's remedy."""

    _PARTITION_EOF = -191
    _INVALID_ARG = -186
    _QUEUE_FULL = -184
    _ASSIGN_PARTITIONS = -175
    _FATAL = -150

    def __init__(self, code: int, reason: str = "", *, fatal: bool = False, retriable: bool = False) -> None:
        self._code = code
        self._reason = reason
        self._fatal = fatal
        self._retriable = retriable

    def code(self) -> int:
        """Return Kafka's protocol code, or librdkafka's own below -1."""
        return self._code

    def name(self) -> str:
        """Return librdkafka's name of the code."""
        return text(C.err2name(self._code))

    def str(self) -> str:
        """Return the reason of the error, else librdkafka's description of the code."""
        return self._reason or text(C.err2str(self._code))

    def fatal(self) -> bool:
        """Return whether the client is unusable."""
        return self._fatal

    def retriable(self) -> bool:
        """Return whether the failed call may be repeated."""
        return self._retriable


class KafkaException(Exception):  # noqa: N818  # confluent-kafka's name
    """The exception of all calls; its first argument is a KafkaError."""


def check(code: int) -> None:
    """Raise KafkaException for an rd_kafka_error_t, which is freed; None means success."""
    if code:
        raise KafkaException(KafkaError(code))


def check_object(error: int | None) -> None:
    """Raise KafkaException for an rd_kafka_error_t, which is freed; none = success."""
    if not error:
        return
    try:
        failure = KafkaError(
            C.error_code(error),
            text(C.error_string(error)),
            fatal=bool(C.error_is_fatal(error)),
            retriable=bool(C.error_is_retriable(error)),
        )
    finally:
        C.error_destroy(error)
    raise KafkaException(failure)
