"""The contents of topics: where their logs end, and records to fill a new one with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.records import ALL, base_offsets, produce_version, request
from probe.engines.kafka.admin.requests import Partition
from probe.engines.kafka.admin.wire import line_to
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.errors import EngineError
from probe.model.clock import now_us
from probe.protocol import apis

FILLED_FROM = 1_000_000
"""Number of the first record that a topic comes back with, as on the embedded engine: no feed gets that far."""
FILLED_S = 10.0
AGAIN_S = 0.02


async def log_ends(target: FaultTarget, placed: Mapping[Partition, Placement]) -> dict[Partition, int]:
    """Return the end of each partition's log as its leader reports it. EngineError if a leader does not."""
    found: dict[Partition, int] = {}
    for node, keys in _by_node({key: one.leader for key, one in placed.items()}).items():
        async with line_to(target.cluster.brokers[node].internal, FILLED_S) as line:
            found |= await ask.high_watermarks(line, keys)
    if missing := placed.keys() - found.keys():
        topic, number = min(missing)
        raise EngineError(f"the leader of {topic}-{number} does not report the end of its log")
    return found


async def fill(target: FaultTarget, counts: Mapping[Partition, int], leaders: Mapping[Partition, int]) -> None:
    """Write this many records to each partition, as the background producer writes them. EngineError if one refuses."""
    left, end = dict(counts), time.monotonic() + FILLED_S
    while left:
        for node, keys in _by_node({key: leaders[key] for key in left}).items():
            for key in await _write(target, node, {key: left[key] for key in keys}):
                del left[key]
        if left and time.monotonic() > end:
            topic, number = next(iter(left))
            raise EngineError(f"{topic}-{number} did not take records within {FILLED_S:.0f} s")
        if left:
            await asyncio.sleep(AGAIN_S)


async def _write(target: FaultTarget, node: int, counts: Mapping[Partition, int]) -> list[Partition]:
    """Write at one leader, and return the partitions that took their records."""
    version = produce_version(target.cluster.version)
    values = {
        key: [f"feed {key[1]} {FILLED_FROM + number} {now_us()}".encode() for number in range(count)]
        for key, count in counts.items()
    }
    body = request(version, values, time.time_ns() // 1_000_000, round(FILLED_S * 1000), acks=ALL)
    async with line_to(target.cluster.brokers[node].internal, FILLED_S) as line:
        found = base_offsets(version, await line.ask(apis.PRODUCE, version, body))
    return [key for key, base in found.items() if base is not None]


def _by_node(leaders: Mapping[Partition, int]) -> dict[int, list[Partition]]:
    """Return partitions by leader. EngineError if one has none."""
    found: dict[int, list[Partition]] = {}
    for (topic, number), node in leaders.items():
        if node < 0:
            raise EngineError(f"{topic}-{number} has no leader")
        found.setdefault(node, []).append((topic, number))
    return found
