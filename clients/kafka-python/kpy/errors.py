"""kafka-python's errors as driver.proto wants them.

Errors that a broker answered are classes with `errno`, the protocol code, and `message`, the protocol name (errors.py
of each version). Codes that a version does not know are UnknownError without a code up to 2.0.2, and
UnrecognizedBrokerError with it later; both have the name of UNKNOWN, which would be wrong here and is left out.
"""

from __future__ import annotations

import kafka.errors
from driving.names import protocol_name

from probe.driver_contract import driver_pb2 as pb

UNNAMED = "UNKNOWN"


def error_of(error: BaseException) -> pb.Error:
    """Turn any exception into an error."""
    code, name = -1, ""
    if isinstance(error, kafka.errors.KafkaError):
        code = getattr(error, "errno", -1)
        code = code if isinstance(code, int) else -1
        message = getattr(error, "message", "")
        name = protocol_name(message) if code >= 0 and message and message != UNNAMED else ""
    return pb.Error(
        code=code,
        name=name,
        type=type(error).__name__,
        text=str(error),
        retriable=bool(getattr(error, "retriable", False)),
    )
