"""The series of operations of a workload (driver.proto, Workloads): those of one partition, or of one key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from probe.driver_contract import driver_pb2 as pb

CONTINUOUS, PIPELINED, KEYED = "continuous", "pipelined", "keyed"
ROLES: Mapping[str, frozenset[str]] = {
    PIPELINED: frozenset({"producer", "consumer", "group", "transactional", "share"}),
    KEYED: frozenset({"producer", "transactional"}),
}
"""The roles that have a workload; every role has `continuous`."""
NO_PARTITION = -1
"""Partition of a record that the library chooses a partition for."""


@dataclass(frozen=True, slots=True)
class Series:
    """Operations with consecutive numbers."""

    partition: int
    first: int = 0
    """The first sequence number."""
    step: int = 1
    """The difference between two sequence numbers."""
    batch: int = 1
    """Operations that begin together."""


def workload_of(start: pb.Start) -> str:
    """Return the name of the workload."""
    return start.workload or CONTINUOUS


def is_keyed(start: pb.Start) -> bool:
    """Return whether the library chooses the partition of a record by its key."""
    return start.workload == KEYED and bool(start.keys)


def series_of(start: pb.Start) -> list[Series]:
    """Return the series of a workload."""
    if is_keyed(start):
        return [Series(NO_PARTITION, number, len(start.keys)) for number in range(len(start.keys))]
    batch = max(start.batch, 1) if start.workload == PIPELINED else 1
    return [Series(partition, batch=batch) for partition in start.partitions]


def in_transaction(start: pb.Start, number: int) -> Iterator[tuple[int, int]]:
    """Yield partition and sequence of the records of a transaction."""
    every = series_of(start)
    for member in range(max((one.batch for one in every), default=0)):
        for one in every:
            yield one.partition, one.first + (number * one.batch + member) * one.step


def destination(start: pb.Start, partition: int, sequence: int) -> dict[str, object]:
    """Return the arguments of a library that say where a record belongs: its partition, or its key."""
    if is_keyed(start):
        return {"key": start.keys[sequence % len(start.keys)].encode()}
    return {"partition": partition}
