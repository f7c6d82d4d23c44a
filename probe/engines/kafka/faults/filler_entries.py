"""Filler entries in an internal topic, with which loading takes as long as on an old cluster."""

from __future__ import annotations

from probe.engines.kafka.admin.partitioner import partition_of
from probe.engines.kafka.admin.wire import Writer, line_to
from probe.engines.kafka.internal_topics import OFFSETS_TOPIC
from probe.model.endpoint import Endpoint
from probe.protocol.apis import INIT_PRODUCER_ID, OFFSET_COMMIT

ENTRIES = 60
LIMIT_S = 20.0
NAMES = 1000
TIMEOUT_MS = 60_000


def named(number: int, partitions: int) -> str:
    """Return a key that belongs to this partition of an internal topic that has `partitions` of them."""
    return next(name for name in (f"ballast-{n}" for n in range(NAMES)) if partition_of(name, partitions) == number)


async def add_filler(coordinator: Endpoint, topic: str, number: int, partitions: int) -> None:
    """Let the coordinator at this address write `ENTRIES` entries. EngineError or OSError."""
    key = named(number, partitions)
    api, version, body = (
        (OFFSET_COMMIT, 2, _commit(key)) if topic == OFFSETS_TOPIC else (INIT_PRODUCER_ID, 0, _init(key))
    )
    async with line_to(coordinator, LIMIT_S) as line:
        for _ in range(ENTRIES):
            await line.ask(api, version, body)


def _commit(group: str) -> Writer:
    """Return an OffsetCommit from outside of the group, as by tools."""
    body = Writer().string(group).pack("i", -1).string("").pack("q", -1)
    return body.pack("i", 1).string("ballast").pack("iiq", 1, 0, 0).string("")


def _init(transactional_id: str) -> Writer:
    return Writer().string(transactional_id).pack("i", TIMEOUT_MS)
