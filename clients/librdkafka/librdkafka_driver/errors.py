"""librdkafka's errors as errors of driver.proto.

A KafkaError carries either Kafka's protocol code (0 and above; -1 is UNKNOWN_SERVER_ERROR), or a local condition
(-200 to -100), which has a name of librdkafka's own such as _MSG_TIMED_OUT and no protocol code (rdkafka.h,
rd_kafka_resp_err_t).
"""

from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException
from driver_runtime.protocol_names import protocol_name

from probe.driver_contract import driver_pb2 as pb
from probe.driver_contract.names import error_name

LOCAL = -2
"""Codes up to this one are librdkafka's own."""
UNNAMED = "ERR_"
"""librdkafka's prefix for a protocol code that it does not know (rd_kafka_err2name in rdkafka.c): 56 up to 0.11."""


def error_of_kafka(error: KafkaError) -> pb.Error:
    """Convert librdkafka's error."""
    local = error.code() <= LOCAL
    unnamed = error.name().startswith(UNNAMED)
    return pb.Error(
        code=-1 if local else error.code(),
        name="" if local else error_name(error.code()) if unnamed else protocol_name(error.name()),
        type=error.name(),
        text=error.str(),
        retriable=error.retriable(),
    )


def error_of(error: BaseException) -> pb.Error:
    """Convert any exception; KafkaException wraps a KafkaError."""
    if isinstance(error, KafkaException) and error.args and isinstance(error.args[0], KafkaError):
        return error_of_kafka(error.args[0])
    return pb.Error(code=-1, type=type(error).__name__, text=str(error))
