"""Role admin: offsets through KafkaConsumer, the one interface for them that all versions have.

A KafkaConsumer is not thread-safe, so every partition has one; none of them joins a group.
"""

from __future__ import annotations

import time
from typing import Any

from driver_runtime.admin_workload import LOOKBACK_MS, run_admin_workload
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from kafka import KafkaConsumer, TopicPartition

from kafka_python_driver.errors import error_of
from kafka_python_driver.settings import build
from probe.driver_contract import driver_pb2 as pb


def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Query offsets until closing is requested."""
    role = {"group_id": start.group or None, "enable_auto_commit": False}
    built = {partition: build(KafkaConsumer, start, reports, role) for partition in start.partitions}
    for _, effective in list(built.values())[:1]:
        reports.ready(effective)
    clients = {partition: client for partition, (client, _) in built.items()}

    def ask(query: str, partition: int) -> int:
        return _ask(start, clients[partition], query, partition)

    run_admin_workload(start, reports, stop, ask, error_of)
    for client in clients.values():
        client.close()


def _ask(start: pb.Start, client: Any, query: str, partition: int) -> int:
    item = TopicPartition(start.topic, partition)
    if query == "committed":
        found = client.committed(item)
    elif query == "timestamp":
        found = client.offsets_for_times({item: int(time.time() * 1000) - LOOKBACK_MS}).get(item)
        found = getattr(found, "offset", None)
    else:
        found = (client.end_offsets if query == "latest" else client.beginning_offsets)([item])[item]
    return -1 if found is None else int(found)
