"""Filler partitions in a broker's log dir, which prolong its recovery."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from probe.engines.kafka.admin.read_back import Brokers, load_library
from probe.engines.kafka.deadlines import IN_SYNC_S
from probe.engines.kafka.ports import FaultTarget, Replicas
from probe.scenarios.steps.real_brokers import ManyLogs

TOPIC = "ballast"
"""A name unlike those of trials' topics, so that log lines about it go to all members."""
VALUE = b"x" * 500
TRIES = 3
WRITING: Mapping[str, object] = {"acks": 1, "linger.ms": 0, "log_level": 0}


async def make(step: ManyLogs, target: FaultTarget) -> None:
    """Create and write a topic with its only replicas on the failing broker. EngineError or OSError."""
    admin, brokers = target.cluster.admin, target.cluster.brokers
    partitions = range(step.partitions)
    log_dir = str(brokers[target.old].log_dirs[0])
    await admin.prefer_log_dir(target.old, log_dir, [(TOPIC, partition) for partition in partitions])
    await _create(target, dict.fromkeys(partitions, (target.old,)))
    where = Brokers([broker.internal for broker in brokers.values()], target.cluster.version)
    await asyncio.to_thread(write, where, step)


async def _create(target: FaultTarget, replicas: Replicas) -> None:
    """Create the topic. On a busy machine it takes longer than the deadline of one attempt."""
    for left in reversed(range(TRIES)):
        try:
            await target.cluster.admin.create_topic(TOPIC, replicas)
        except TimeoutError:
            if not left:
                raise
        else:
            return


async def remove(_: ManyLogs, target: FaultTarget) -> None:
    """Delete the topic."""
    if await target.cluster.admin.placements([TOPIC]):
        await target.cluster.admin.delete_topics([TOPIC])


def write(where: Brokers, step: ManyLogs) -> None:
    """Write one batch after the other to all partitions. TimeoutError if it takes too long."""
    producer = load_library().Producer({**where.settings, **WRITING})
    for _ in range(step.batches):
        for partition in range(step.partitions):
            producer.produce(TOPIC, value=VALUE, partition=partition)
        if left := producer.flush(IN_SYNC_S):
            raise TimeoutError(f"{left} records of {TOPIC} were not written within {IN_SYNC_S:.0f} s")
