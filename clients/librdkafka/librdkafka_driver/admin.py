"""Role admin: AdminClient.list_offsets() and describe_cluster(), which came in 2.3.0, and older calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from driver_runtime.admin_workload import CLUSTER, CREATE, GROUP, LOOKBACK_MS, NewNames, run_admin_workload
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports

from librdkafka_driver.errors import error_of
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure
from probe.driver_contract import driver_pb2 as pb

NEEDED = "list_offsets"


def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Ask until closing is requested."""
    chosen, effective = configure(start, {})
    try:
        settings: dict[str, Any] = {**chosen, **Notices(reports).callbacks()}
        client, other = AdminClient(settings), AdminClient(settings)
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None
    reports.ready(effective)
    queries = _Queries(start, client, other)
    run_admin_workload(start, reports, stop, queries.ask, error_of, queries.about_the_cluster())


def available() -> bool:
    """Return whether this version can list offsets."""
    return hasattr(AdminClient, NEEDED)


class _Queries:
    """Questions of one client, but for the description of the cluster.

    Its answer names the controller, which the client that asks remembers, so another one asks.
    """

    def __init__(self, start: pb.Start, client: Any, other: Any) -> None:
        self._start = start
        self._client, self._other = client, other
        self._names = NewNames(start)

    def about_the_cluster(self) -> dict[str, Callable[[], object]]:
        """Return the questions about the cluster."""
        return {
            CREATE: self._create,
            CLUSTER: lambda: self._other.describe_cluster().result(),
            GROUP: self._describe_group,
        }

    def _describe_group(self) -> None:
        for described in self._client.describe_consumer_groups([self._start.group]).values():
            described.result()

    def _create(self) -> None:
        topic = _module().NewTopic(self._names.next(), num_partitions=1, replication_factor=1)
        for created in self._client.create_topics([topic], validate_only=True).values():
            created.result()

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


def _module() -> Any:
    """Return the module, of which older bindings have a part."""
    return import_module("confluent_kafka.admin")


def _spec(query: str) -> Any:
    spec = _module().OffsetSpec
    if query == "timestamp":
        return spec.for_timestamp(int(time.time() * 1000) - LOOKBACK_MS)
    return spec.latest() if query == "latest" else spec.earliest()
