"""aiokafka's errors as errors of driver.proto.

Errors of a broker are classes with `errno`, the protocol code, and `message`, a protocol name (errors.py of each
version; up to 0.8 partly kafka-python's). A code that a version does not know is an error called UNKNOWN.
"""

from __future__ import annotations

import aiokafka.errors
from driver_runtime import errors

from probe.driver_contract import driver_pb2 as pb


def error_of(error: BaseException) -> pb.Error:
    """Convert any exception."""
    return errors.error_of(error, aiokafka.errors.KafkaError)
