"""Role admin: AdminClient.list_offsets(), which came in 2.3.0, and list_consumer_group_offsets()."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from driving.library import Stopping, Unsupported
from driving.questions import LOOK_BACK_MS, inquire
from driving.reports import Reports

from probe.driver_contract import driver_pb2 as pb
from rdk.channel import Channel
from rdk.errors import error_of
from rdk.settings import configure

NEEDED = "list_offsets"


def admin(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Ask for offsets until told to stop."""
    chosen, effective = configure(start, {})
    try:
        client = AdminClient({**chosen, **Channel(reports).callbacks()})
    except KafkaException as error:
        raise Unsupported(f"librdkafka refuses these settings together: {error.args[0].str()}") from None
    reports.ready(effective)
    inquire(start, reports, stop, _Asking(start, client).ask, error_of)


def available() -> bool:
    """Say whether this version can ask."""
    return hasattr(AdminClient, NEEDED)


class _Asking:
    def __init__(self, start: pb.Start, client: Any) -> None:
        self._start = start
        self._client = client

    def ask(self, question: str, partition: int) -> int:
        item = TopicPartition(self._start.topic, partition)
        if question == "committed":
            wanted = ConsumerGroupTopicPartitions(self._start.group, [item])
            (answer,) = self._client.list_consumer_group_offsets([wanted]).values()
            return int(_checked(answer.result().topic_partitions[0]).offset)
        (answer,) = self._client.list_offsets({item: _spec(question)}).values()
        return int(answer.result().offset)


def _checked(item: Any) -> Any:
    if item.error is not None:
        raise KafkaException(item.error)
    return item


def _spec(question: str) -> Any:
    from confluent_kafka.admin import OffsetSpec  # noqa: PLC0415  # absent before 2.3.0

    if question == "timestamp":
        return OffsetSpec.for_timestamp(int(time.time() * 1000) - LOOK_BACK_MS)
    return OffsetSpec.latest() if question == "latest" else OffsetSpec.earliest()
