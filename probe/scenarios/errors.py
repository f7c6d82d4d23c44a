"""Which error a broker may give in which API, and what a client should make of it.

M = the target moved: ask who serves now. R = retriable in place: wait and try again. F = not retriable: the
application must be told. Any other error of Kafka's table runs on request and is informative.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from probe.model import Role
from probe.protocol.names import error_name


class ErrorClass(StrEnum):
    """What Kafka's own exception hierarchy says of an error in an API."""

    MOVED = "M"
    RETRIABLE = "R"
    FINAL = "F"
    OTHER = "-"
    """Not an answer that a broker gives in this API, as far as is known."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API in which errors can be injected."""

    name: str
    """As in scenario names."""
    key: int
    roles: tuple[Role, ...]


APIS = (
    Api("produce", 0, (Role.PRODUCER,)),
    Api("fetch", 1, (Role.CONSUMER, Role.GROUP)),
)

CLASSES: dict[tuple[str, int], tuple[ErrorClass, str]] = {
    ("produce", 3): (ErrorClass.MOVED, "ReplicaManager.appendToLocalLog: the partition is not hosted here"),
    ("produce", 6): (ErrorClass.MOVED, "Partition.appendRecordsToLeader: NotLeaderOrFollowerException"),
    ("produce", 56): (ErrorClass.MOVED, "ReplicaManager.getPartitionOrError: HostedPartition.Offline (KIP-112)"),
    ("produce", 2): (ErrorClass.RETRIABLE, "LogValidator: CorruptRecordException"),
    ("produce", 7): (ErrorClass.RETRIABLE, "DelayedProduce: acks=all not met within request.timeout.ms"),
    ("produce", 19): (ErrorClass.RETRIABLE, "Partition.appendRecordsToLeader: NotEnoughReplicasException"),
    ("produce", 20): (ErrorClass.RETRIABLE, "Partition.checkEnoughReplicasReachOffset: after the append"),
    ("produce", 10): (ErrorClass.FINAL, "UnifiedLog: RecordTooLargeException"),
    ("produce", 29): (ErrorClass.FINAL, "KafkaApis.handleProduceRequest: no WRITE on the topic"),
    ("produce", 87): (ErrorClass.FINAL, "LogValidator: InvalidRecordException"),
    ("fetch", 3): (ErrorClass.MOVED, "ReplicaManager.getPartitionOrException: not hosted here"),
    ("fetch", 6): (ErrorClass.MOVED, "Partition.localLogWithEpochOrThrow: NotLeaderOrFollowerException"),
    ("fetch", 56): (ErrorClass.MOVED, "ReplicaManager.getPartitionOrError: HostedPartition.Offline (KIP-112)"),
    ("fetch", 74): (ErrorClass.MOVED, "Partition.checkCurrentLeaderEpoch: the client's epoch is older (KIP-320)"),
    ("fetch", 75): (ErrorClass.RETRIABLE, "Partition.checkCurrentLeaderEpoch: the client's epoch is newer (KIP-320)"),
    ("fetch", 78): (ErrorClass.RETRIABLE, "Partition.fetchOffsetForTimestamp and KIP-207: offset not available yet"),
    ("fetch", 29): (ErrorClass.FINAL, "KafkaApis.handleFetchRequest: no READ on the topic"),
}
"""(API, code) to class and source: which line of Kafka gives this answer."""


def find_api(name: str) -> Api | None:
    """Return the API of a scenario name's second part."""
    return next((api for api in APIS if api.name == name), None)


def class_of(api: Api, code: int) -> tuple[ErrorClass, str]:
    """Return class and source of an error in an API."""
    return CLASSES.get((api.name, code), (ErrorClass.OTHER, "on request: not known as an answer to this API"))


def listed(api: Api, *classes: ErrorClass) -> tuple[str, ...]:
    """Return the names of the API's errors of these classes, by code."""
    codes = sorted(code for (name, code), (kind, _) in CLASSES.items() if name == api.name and kind in classes)
    return tuple(error_name(code) for code in codes)
