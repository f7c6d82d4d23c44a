"""librdkafka's errors: a code, or an error object that says more (rd_kafka_error_t, since 1.4)."""

from __future__ import annotations

from confluent_kafka.clib import C, text


class KafkaError:
    """An error code with its text, and what librdkafka says may be done about it."""

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
        """Return the reason that came with it, else librdkafka's description of the code."""
        return self._reason or text(C.err2str(self._code))

    def fatal(self) -> bool:
        """Say whether the client is unusable."""
        return self._fatal

    def retriable(self) -> bool:
        """Say whether the failed call may be made again."""
        return self._retriable


class KafkaException(Exception):  # noqa: N818  # confluent-kafka's name
    """What calls raise; the first argument is a KafkaError."""


def check(code: int) -> None:
    """Raise KafkaException for any code but zero."""
    if code:
        raise KafkaException(KafkaError(code))


def check_object(error: int | None) -> None:
    """Raise KafkaException for an rd_kafka_error_t, which is freed; none = success."""
    if not error:
        return
    try:
        told = KafkaError(
            C.error_code(error),
            text(C.error_string(error)),
            fatal=bool(C.error_is_fatal(error)),
            retriable=bool(C.error_is_retriable(error)),
        )
    finally:
        C.error_destroy(error)
    raise KafkaException(told)
