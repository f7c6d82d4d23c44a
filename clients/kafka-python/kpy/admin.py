"""Role admin: questions about offsets through KafkaConsumer, the one interface for them that all versions have.

A KafkaConsumer is not thread-safe, so each partition has one of its own; none of them joins a group.
"""

from __future__ import annotations

import time
from typing import Any

from driving.library import Stopping
from driving.questions import LOOK_BACK_MS, inquire
from driving.reports import Reports
from kafka import KafkaConsumer, TopicPartition

from kpy.errors import error_of
from kpy.settings import build
from probe.driver_contract import driver_pb2 as pb


def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Ask for offsets until told to stop."""
    role = {"group_id": start.group or None, "enable_auto_commit": False}
    built = {partition: build(KafkaConsumer, start, reports, role) for partition in start.partitions}
    for _, effective in list(built.values())[:1]:
        reports.ready(effective)
    clients = {partition: client for partition, (client, _) in built.items()}

    def ask(question: str, partition: int) -> int:
        return _ask(start, clients[partition], question, partition)

    inquire(start, reports, stop, ask, error_of)
    for client in clients.values():
        client.close()


def _ask(start: pb.Start, client: Any, question: str, partition: int) -> int:
    item = TopicPartition(start.topic, partition)
    if question == "committed":
        found = client.committed(item)
    elif question == "timestamp":
        found = client.offsets_for_times({item: int(time.time() * 1000) - LOOK_BACK_MS}).get(item)
        found = getattr(found, "offset", None)
    else:
        found = (client.end_offsets if question == "latest" else client.beginning_offsets)([item])[item]
    return -1 if found is None else int(found)
