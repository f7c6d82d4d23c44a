"""Role admin: offsets through AIOKafkaConsumer, as all versions can; the rest through AIOKafkaAdminClient."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import for_code
from driver_runtime.admin_workload import CLUSTER, CREATE, GROUP, LOOKBACK_MS, NewNames, run_admin_workload
from driver_runtime.event_loop import LoopCaller
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports

from aiokafka_driver.errors import error_of
from aiokafka_driver.lifecycle import started
from aiokafka_driver.settings import build, without_unknown
from probe.driver_contract import driver_pb2 as pb


async def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Ask until closing is requested."""
    role = {"group_id": start.group or None, "enable_auto_commit": False}
    client, effective = build(AIOKafkaConsumer, start, role)
    reports.ready(effective)
    async with started(client, stop):
        bridge, cluster = LoopCaller(), _Cluster(start)

        def ask(query: str, partition: int) -> int:
            return int(bridge.call(_ask(client, query, TopicPartition(start.topic, partition))))

        def asking(question: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], object]:
            return lambda: bridge.call(question())

        about = {CREATE: cluster.create, CLUSTER: cluster.describe, GROUP: cluster.describe_group}
        questions = {name: asking(question) for name, question in about.items()}
        try:
            await asyncio.to_thread(run_admin_workload, start, reports, stop, ask, error_of, questions)
        finally:
            await cluster.close()


async def _ask(client: Any, query: str, item: TopicPartition) -> int:
    if query == "committed":
        found = await client.committed(item)
    elif query == "timestamp":
        found = (await client.offsets_for_times({item: int(time.time() * 1000) - LOOKBACK_MS})).get(item)
        found = getattr(found, "offset", None)
    else:
        found = (await (client.end_offsets if query == "latest" else client.beginning_offsets)([item]))[item]
    return -1 if found is None else int(found)


class _Cluster:
    """An AIOKafkaAdminClient from the first question on. One question is asked at a time."""

    def __init__(self, start: pb.Start) -> None:
        self._start = without_unknown(AIOKafkaAdminClient, start)
        self._names = NewNames(start)
        self._client: Any = None

    async def create(self) -> None:
        """Ask whether a topic could be created. The library returns errors of topics without raising them."""
        topic = NewTopic(name=self._names.next(), num_partitions=1, replication_factor=1)
        answer = await (await self._started()).create_topics([topic], validate_only=True)
        for row in answer.topic_errors:
            if row[1]:
                raise for_code(row[1])

    async def describe(self) -> None:
        """Ask for the description of the cluster."""
        await (await self._started()).describe_cluster()

    async def describe_group(self) -> None:
        """Ask for the description of the group."""
        for answer in await (await self._started()).describe_consumer_groups([self._start.group]):
            for row in answer.groups:
                if row[0]:
                    raise for_code(row[0])

    async def close(self) -> None:
        """Close the client, if there is one."""
        if self._client is not None:
            await self._client.close()

    async def _started(self) -> Any:
        if self._client is None:
            client, _ = build(AIOKafkaAdminClient, self._start, {})
            try:
                await client.start()
            except BaseException:
                await client.close()
                raise
            self._client = client
        return self._client
