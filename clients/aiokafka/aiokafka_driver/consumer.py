"""Roles consumer and group: AIOKafkaConsumer.assign() from the beginning, or subscribe() with explicit commits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from driver_runtime.library import Stopping
from driver_runtime.profiles import AUTOCOMMIT
from driver_runtime.reports import Reports

from aiokafka_driver.commits import Commits
from aiokafka_driver.errors import error_of
from aiokafka_driver.lifecycle import started
from aiokafka_driver.settings import build
from probe.driver_contract import driver_pb2 as pb

POLL_MS = 100
PAUSE_S = 0.1
"""Seconds after an exception of getmany(), against a busy loop."""


async def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume the given partitions from their beginning."""
    client, effective = build(AIOKafkaConsumer, start, {"enable_auto_commit": False})
    reports.ready(effective)
    partitions = [TopicPartition(start.topic, partition) for partition in start.partitions]
    client.assign(partitions)
    async with started(client, stop):
        await client.seek_to_beginning(*partitions)
        reports.assigned(start.partitions)
        while not stop.asked:
            await poll_once(client, reports)


async def group(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume as a member of a group; commit delivered records once per second and before a revocation."""
    role = {"group_id": start.group, "auto_offset_reset": "earliest", "enable_auto_commit": False}
    client, effective = build(AIOKafkaConsumer, start, role)
    reports.ready(effective)
    commits = Commits(client, reports, stop, by_library=start.profile == AUTOCOMMIT)
    client.subscribe([start.topic], listener=commits)
    async with started(client, stop):
        while not stop.asked:
            await poll_once(client, reports, commits.note)
            await commits.commit_if_due()


async def poll_once(
    client: Any, reports: Reports, note: Callable[[TopicPartition, int], None] = lambda *_: None
) -> None:
    """Poll once and report the result."""
    try:
        batches = await client.getmany(timeout_ms=POLL_MS)
    except Exception as error:  # noqa: BLE001  # the application gets any exception of getmany()
        reports.receive_error(error_of(error))
        await asyncio.sleep(PAUSE_S)
        return
    for partition, records in batches.items():
        for record in records:
            reports.received(partition.partition, record.offset, (record.value or b"").decode(errors="replace"))
            if handler_s := reports.handling():
                await asyncio.sleep(handler_s)
            note(partition, record.offset + 1)
