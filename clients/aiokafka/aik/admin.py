"""Role admin: questions about offsets through AIOKafkaConsumer, the one interface for them that all versions have."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from driving.library import Stopping
from driving.questions import LOOK_BACK_MS, inquire
from driving.reports import Reports

from aik.errors import error_of
from aik.living import Bridge, started
from aik.settings import build
from probe.driver_contract import driver_pb2 as pb


async def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Ask for offsets until told to stop."""
    role = {"group_id": start.group or None, "enable_auto_commit": False}
    client, effective = build(AIOKafkaConsumer, start, role)
    reports.ready(effective)
    async with started(client, stop):
        bridge = Bridge()

        def ask(question: str, partition: int) -> int:
            return int(bridge.call(_ask(client, question, TopicPartition(start.topic, partition))))

        await asyncio.to_thread(inquire, start, reports, stop, ask, error_of)


async def _ask(client: Any, question: str, item: TopicPartition) -> int:
    if question == "committed":
        found = await client.committed(item)
    elif question == "timestamp":
        found = (await client.offsets_for_times({item: int(time.time() * 1000) - LOOK_BACK_MS})).get(item)
        found = getattr(found, "offset", None)
    else:
        found = (await (client.end_offsets if question == "latest" else client.beginning_offsets)([item]))[item]
    return -1 if found is None else int(found)
