"""Errors of libraries whose exceptions have `errno`, the protocol code, and `message`, a protocol name."""

from __future__ import annotations

from driver_runtime.protocol_names import protocol_name
from probe.driver_contract import driver_pb2 as pb

UNNAMED = "UNKNOWN"
"""The name of an error whose code the library does not know; it is Kafka's old name of another error."""


def error_of(error: BaseException, answered: type[BaseException]) -> pb.Error:
    """Convert any exception; exceptions of the class `answered` carry a broker's code."""
    code, name = -1, ""
    if isinstance(error, answered):
        number = getattr(error, "errno", -1)
        code = number if isinstance(number, int) else -1
        message = getattr(error, "message", "")
        name = protocol_name(message) if code >= 0 and message and message != UNNAMED else ""
    return pb.Error(
        code=code,
        name=name,
        type=type(error).__name__,
        text=str(error),
        retriable=bool(getattr(error, "retriable", False)),
    )
