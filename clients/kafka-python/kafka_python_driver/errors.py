"""kafka-python's errors as errors of driver.proto.

Errors of a broker are classes with `errno`, the protocol code, and `message`, the protocol name (errors.py of each
version). Codes that a version does not know are UnknownError without a code up to 2.0.2, and UnrecognizedBrokerError
with it later; both have the name UNKNOWN.
"""

from __future__ import annotations

import kafka.errors
from driver_runtime import errors

from probe.driver_contract import driver_pb2 as pb


def error_of(error: BaseException) -> pb.Error:
    """Convert any exception."""
    return errors.error_of(error, kafka.errors.KafkaError)
