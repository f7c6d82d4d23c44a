"""A producer of librdkafka ends once its end was reported, also with records that wait.

Its connections would else go on for as long as the driver's process, and be taken for those of the next client at a
broker that ends TLS itself.
"""

from __future__ import annotations

import gc
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest

from probe.driver_contract import driver_pb2 as pb
from tests.support.deadlines import LONGEST_S

CLIENTS = Path(__file__).resolve().parents[2] / "clients"


class Producer(confluent_kafka.Producer):  # type: ignore[misc]  # has no types
    """One that can be watched."""


class Outbox:
    def __init__(self) -> None:
        self.kinds: list[int] = []

    def add(self, event: pb.Event) -> None:
        self.kinds.append(event.kind)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The driver's producers, and the library's as they are constructed. Nothing is collected meanwhile."""
    for folder in ("python", "librdkafka"):
        monkeypatch.syspath_prepend(str(CLIENTS / folder))
    from librdkafka_driver import producer, transactional  # noqa: PLC0415  # found by the lines above

    made: list[weakref.ref[Producer]] = []

    def construct(settings: dict[str, Any]) -> Producer:
        client = Producer(settings)
        made.append(weakref.ref(client))
        return client

    monkeypatch.setattr(producer, "Producer", construct)
    gc.disable()
    yield {"producer": producer.producer, "transactional": transactional.transactional}, made
    gc.enable()
    for name in [item for item in sys.modules if item.startswith(("driver_runtime", "librdkafka_driver"))]:
        del sys.modules[name]


@pytest.mark.parametrize("role", ["producer", "transactional"])
def test_a_producer_ends_with_its_instance(loaded: Any, role: str) -> None:
    roles, made = loaded
    from driver_runtime.instances import Instances  # noqa: PLC0415  # found since the fixture
    from driver_runtime.library import Library  # noqa: PLC0415  # as above

    outbox = Outbox()
    library = Library(family="x", version="1", roles=roles, profiles=["isolated"], error_of=lambda _: pb.Error())
    instances = Instances(library, outbox)
    start = pb.Start(
        instance="one", client_id="one", role=role, profile="isolated", topic="t", partitions=[0], interval_ms=20,
        bootstrap=["127.0.0.1:1"], max_in_flight=10, transactional_id="one" if role == "transactional" else "",
    )  # fmt: skip
    instances.start(start)
    end = time.monotonic() + LONGEST_S
    while pb.READY not in outbox.kinds or (role == "producer" and pb.SENT not in outbox.kinds):
        assert time.monotonic() < end, outbox.kinds
        time.sleep(0.01)
    instances.stop(pb.Stop(instance="one", deadline_ms=1000))
    while made[0]() is not None:
        assert time.monotonic() < end, outbox.kinds
        time.sleep(0.01)
    assert pb.CLOSED in outbox.kinds
