"""Role admin: offsets through AIOKafkaConsumer, the one interface for them that all versions have."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from driver_runtime.admin_workload import LOOKBACK_MS, run_admin_workload
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports

from aiokafka_driver.errors import error_of
from aiokafka_driver.lifecycle import LoopCaller, started
from aiokafka_driver.settings import build
from probe.driver_contract import driver_pb2 as pb


async def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Query offsets until closing is requested."""
    role = {"group_id": start.group or None, "enable_auto_commit": False}
    client, effective = build(AIOKafkaConsumer, start, role)
    reports.ready(effective)
    async with started(client, stop):
        bridge = LoopCaller()

        def ask(query: str, partition: int) -> int:
            return int(bridge.call(_ask(client, query, TopicPartition(start.topic, partition))))

        await asyncio.to_thread(run_admin_workload, start, reports, stop, ask, error_of)


async def _ask(client: Any, query: str, item: TopicPartition) -> int:
    if query == "committed":
        found = await client.committed(item)
    elif query == "timestamp":
        found = (await client.offsets_for_times({item: int(time.time() * 1000) - LOOKBACK_MS})).get(item)
        found = getattr(found, "offset", None)
    else:
        found = (await (client.end_offsets if query == "latest" else client.beginning_offsets)([item]))[item]
    return -1 if found is None else int(found)
