"""Role admin: offsets through KafkaConsumer, as all versions can; the rest through KafkaAdminClient.

A KafkaConsumer is not thread-safe, so every partition has one; none of them joins a group.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from driver_runtime.admin_workload import CLUSTER, CREATE, GROUP, LOOKBACK_MS, NewNames, run_admin_workload
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import NewTopic

from kafka_python_driver.errors import error_of
from kafka_python_driver.settings import build
from probe.driver_contract import driver_pb2 as pb

DESCRIBE_GROUP = "describe_groups" if hasattr(KafkaAdminClient, "describe_groups") else "describe_consumer_groups"


def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Ask until closing is requested."""
    role = {"group_id": start.group or None, "enable_auto_commit": False}
    built = {partition: build(KafkaConsumer, start, reports, role) for partition in start.partitions}
    for _, effective in list(built.values())[:1]:
        reports.ready(effective)
    clients = {partition: client for partition, (client, _) in built.items()}

    def ask(query: str, partition: int) -> int:
        return _ask(start, clients[partition], query, partition)

    cluster = _Cluster(start, reports)
    run_admin_workload(start, reports, stop, ask, error_of, cluster.questions())
    for client in clients.values():
        client.close()
    cluster.close()


class _Cluster:
    """A KafkaAdminClient from the first question on, used by one thread."""

    def __init__(self, start: pb.Start, reports: Reports) -> None:
        self._start, self._reports = pb.Start(), reports
        self._start.CopyFrom(start)
        for key in set(start.properties) - set(KafkaAdminClient.DEFAULT_CONFIG):
            del self._start.properties[key]  # of the consumers
        self._names = NewNames(start)
        self._client: Any = None

    def questions(self) -> dict[str, Callable[[], object]]:
        """Return the questions that this version has calls for."""
        found: dict[str, Callable[[], object]] = {CREATE: self._create, GROUP: self._describe_group}
        if hasattr(KafkaAdminClient, "describe_cluster"):
            found[CLUSTER] = lambda: self._connected().describe_cluster()
        return found

    def close(self) -> None:
        """Close the client, if there is one."""
        if self._client is not None:
            self._client.close()

    def _connected(self) -> Any:
        if self._client is None:
            self._client, _ = build(KafkaAdminClient, self._start, self._reports, {})
        return self._client

    def _create(self) -> object:
        topic = NewTopic(name=self._names.next(), num_partitions=1, replication_factor=1)
        return self._connected().create_topics([topic], validate_only=True)

    def _describe_group(self) -> object:
        return getattr(self._connected(), DESCRIBE_GROUP)([self._start.group])


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
