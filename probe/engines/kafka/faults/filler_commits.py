"""Filler commits: thousands of unused commits, as in a __consumer_offsets that was never compacted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from probe.engines.kafka.admin.read_back import Brokers, load_library
from probe.engines.kafka.admin.wire import Writer
from probe.engines.kafka.deadlines import IN_SYNC_S
from probe.engines.kafka.faults.coordinator_restarts import offsets_of
from probe.engines.kafka.faults.filler_entries import named
from probe.engines.kafka.internal_topics import OFFSETS_TOPIC
from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.coordinators import FillOffsets

ADMIN_CLIENT = "__admin_client"
"""The only client id that brokers let write to internal topics."""
WRITING = {
    "acks": 1,
    "client.id": ADMIN_CLIENT,
    "log_level": 0,
    # the position of each batch is indexed, and old brokers would read large batches from their start repeatedly
    "batch.num.messages": 100,
    "message.timeout.ms": round(IN_SYNC_S * 1000),
    "queue.buffering.max.messages": 1_000_000,
}
KEYS = 100
"""Number of different keys; compaction would have left only the newest commit of each."""
DAY_MS = 86_400_000
MESSAGE_BYTES = 26
"""Bytes of a message of the oldest format without its key and value."""


async def fill(step: FillOffsets, target: FaultTarget) -> None:
    """Write missing entries and wait until all followers have them. EngineError if brokers refuse them."""
    placed = await target.cluster.admin.placements([OFFSETS_TOPIC])
    numbers = sorted(number for _, number in placed)
    per_entry = MESSAGE_BYTES + len(_key(named(0, len(numbers)), 0)) + len(_value(0, 0))
    begun = time.monotonic()
    missing = {number: step.entries - _bytes(target, number) // per_entry for number in numbers}
    where = Brokers([broker.internal for broker in target.cluster.brokers.values()], target.cluster.version)
    await asyncio.to_thread(_write, where, missing)
    await target.cluster.in_sync([OFFSETS_TOPIC])
    text = f"{OFFSETS_TOPIC} has {step.entries} entries in each of {len(numbers)} partitions"
    target.cluster.emit(EngineKind.NOTE, text=f"{text}, written in {time.monotonic() - begun:.1f} s")


def _bytes(target: FaultTarget, number: int) -> int:
    """Return the size of a partition's longest replica, in bytes."""
    sizes = (
        sum(path.stat().st_size for path in folder.glob("*.log"))
        for broker in target.cluster.brokers.values()
        for folder in offsets_of(broker)
        if folder.name.rpartition("-")[2] == str(number)
    )
    return max(sizes, default=0)


def _write(where: Brokers, counts: Mapping[int, int]) -> None:
    failures: list[str] = []

    def done(error: object, _: object) -> None:
        if error is not None:
            failures.append(str(error))

    producer = load_library().Producer({**where.settings, **WRITING})
    now_ms = time.time_ns() // 1_000_000
    for number, count in counts.items():
        group = named(number, len(counts))
        for entry in range(count):
            key, value = _key(group, entry % KEYS), _value(entry, now_ms)
            producer.produce(OFFSETS_TOPIC, key=key, value=value, partition=number, on_delivery=done)
        producer.poll(0)
    left = producer.flush(IN_SYNC_S)
    if left or failures:
        raise EngineError(f"{OFFSETS_TOPIC} could not be filled: {failures[0] if failures else f'{left} entries left'}")


def _key(group: str, partition: int) -> bytes:
    """Return the key of a commit (OffsetCommitKey, version 1)."""
    return bytes(Writer().pack("h", 1).string(group).string("ballast").pack("i", partition).data)


def _value(offset: int, now_ms: int) -> bytes:
    """Return the value of a commit (OffsetCommitValue, version 1) that expires after a day."""
    return bytes(Writer().pack("hq", 1, offset).string("").pack("qq", now_ms, now_ms + DAY_MS).data)
