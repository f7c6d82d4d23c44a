"""The figures of the workloads."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import pytest

from probe.model import Role, Workload
from probe.planning.loads import LOADS, Load

WORD = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Return the hash of Kafka's own clients, KafkaJS, franz-go, kafka-python and aiokafka."""
    factor, whole = 0x5BD1E995, len(data) - len(data) % 4
    found = 0x9747B28C ^ len(data)
    for at in range(0, whole, 4):
        word = int.from_bytes(data[at : at + 4], "little") * factor & WORD
        word = (word ^ word >> 24) * factor & WORD
        found = found * factor & WORD ^ word
    if rest := data[whole:]:
        found = (found ^ int.from_bytes(rest, "little")) * factor & WORD
    found = (found ^ found >> 13) * factor & WORD
    return (found ^ found >> 15) & 0x7FFFFFFF


def fnv_1a(data: bytes) -> int:
    """Return the hash of sarama and kafka-go, which take it for a signed number."""
    found = 0x811C9DC5
    for byte in data:
        found = (found ^ byte) * 0x01000193 & WORD
    return abs(int.from_bytes(found.to_bytes(4, "big"), "big", signed=True))


@pytest.mark.parametrize("hashed", [murmur2, fnv_1a, zlib.crc32])
def test_every_partitioner_spreads_the_keys_evenly_over_two_partitions(hashed: Callable[[bytes], int]) -> None:
    assert sorted(hashed(key.encode()) % 2 for key in LOADS[Workload.KEYED].keys) == [0, 0, 1, 1]


def test_every_workload_has_a_load() -> None:
    assert set(LOADS) == set(Workload)
    assert LOADS[Workload.CONTINUOUS] == Load()


def test_a_transaction_is_one_success_whatever_it_contains() -> None:
    assert [LOADS[Workload.PIPELINED].beat(role) for role in (Role.PRODUCER, Role.CONSUMER, Role.TRANSACTIONAL)] == [
        20,
        20,
        1,
    ]
    assert LOADS[Workload.KEYED].beat(Role.PRODUCER) == 4
