"""Requests of tests of whole applications to a driver, and the stored records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from probe.driver_contract import driver_pb2 as pb
from probe.engines.embedded.rpc import cluster_pb2
from probe.model import Stored
from tests.support.fake_brokers import Brokers

TOPIC = "written"
PARTITIONS = (0, 1)


def order(instance: str, bootstrap: list[str], **own: Any) -> dict[str, Any]:
    """Return a producer of the topic; `own` replaces or adds."""
    asked: dict[str, Any] = {
        "instance": instance,
        "client_id": f"client-{instance}",
        "role": "producer",
        "profile": "isolated",
        "bootstrap": bootstrap,
        "topic": TOPIC,
        "partitions": list(PARTITIONS),
        "interval_ms": 100,
        "max_in_flight": 32,
        "broker": "3.9",
    }
    return asked | own


async def stored_in(cluster: Brokers) -> list[Stored]:
    """Return the records of the topic."""
    back = await cluster.stub.ReadBack(cluster_pb2.Topic(topic=TOPIC))
    return [Stored.of(record.partition, record.offset, record.value) for record in back.records]


def sent_and_stored(
    instance: str, events: Iterable[pb.Event], stored: Iterable[Stored]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield for each partition the numbers that the instance sent, and those that are stored of it, both in order."""
    events, stored = list(events), list(stored)
    for partition in PARTITIONS:
        yield (
            [item.sequence for item in events if (item.kind, item.partition) == (pb.SENT, partition)],
            [item.sequence for item in stored if (item.partition, item.instance) == (partition, instance)],
        )
