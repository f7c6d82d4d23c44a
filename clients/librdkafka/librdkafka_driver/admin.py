"""Role admin: AdminClient.list_offsets(), which came in 2.3.0, and list_consumer_group_offsets()."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from driver_runtime.admin_workload import LOOKBACK_MS, run_admin_workload
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports

from librdkafka_driver.errors import error_of
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure
from probe.driver_contract import driver_pb2 as pb

NEEDED = "list_offsets"


def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Query offsets until closing is requested."""
    chosen, effective = configure(start, {})
    try:
        settings: dict[str, Any] = {**chosen, **Notices(reports).callbacks()}
        client = AdminClient(settings)
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None
    reports.ready(effective)
    run_admin_workload(start, reports, stop, _Queries(start, client).ask, error_of)


def available() -> bool:
    """Return whether this version can list offsets."""
    return hasattr(AdminClient, NEEDED)


class _Queries:
    def __init__(self, start: pb.Start, client: Any) -> None:
        self._start = start
        self._client = client

    def ask(self, query: str, partition: int) -> int:
        item = TopicPartition(self._start.topic, partition)
        if query == "committed":
            wanted = ConsumerGroupTopicPartitions(self._start.group, [item])
            (answer,) = self._client.list_consumer_group_offsets([wanted]).values()
            return int(_checked(answer.result().topic_partitions[0]).offset)
        (answer,) = self._client.list_offsets({item: _spec(query)}).values()
        return int(answer.result().offset)


def _checked(item: Any) -> Any:
    if item.error is not None:
        raise KafkaException(item.error)
    return item


def _spec(query: str) -> Any:
    spec: Any = import_module("confluent_kafka.admin").OffsetSpec  # absent before 2.3.0
    if query == "timestamp":
        return spec.for_timestamp(int(time.time() * 1000) - LOOKBACK_MS)
    return spec.latest() if query == "latest" else spec.earliest()
