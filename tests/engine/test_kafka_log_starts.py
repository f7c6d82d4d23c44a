"""Log start offsets as the leaders report them, past the relay."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from probe.engines.kafka.admin import read_back
from probe.engines.kafka.admin.read_back import Brokers, log_starts
from probe.errors import EngineError


class KafkaError(Exception):
    """The library's error."""


OFFSETS = {0: (7, 31), 1: (0, 24), 2: None}
"""Start and end by partition; None = no answer."""


class Consumer:
    """A consumer of librdkafka whose leaders report `OFFSETS`."""

    def __init__(self, _: dict[str, object]) -> None:
        self.closed = False

    def get_watermark_offsets(self, partition: Any, timeout: float) -> tuple[int, int] | None:
        if partition.number not in OFFSETS:
            raise KafkaError("no leader")
        return OFFSETS[partition.number]

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    found = SimpleNamespace(
        Consumer=Consumer,
        KafkaException=KafkaError,
        TopicPartition=lambda topic, number: SimpleNamespace(topic=topic, number=number),
    )
    monkeypatch.setattr(read_back, "load_library", lambda: found)


def starts(*partitions: int) -> dict[int, int]:
    return dict(asyncio.run(log_starts(Brokers((), "3.9.2"), "t", partitions)))


def test_the_start_of_each_log_is_reported() -> None:
    assert starts(0, 1) == {0: 7, 1: 0}


@pytest.mark.parametrize(
    ("partition", "message"), [(2, "log start of t-2 was not answered"), (3, "log start of t-3 cannot be read")]
)
def test_a_start_that_is_not_known_is_an_error(partition: int, message: str) -> None:
    with pytest.raises(EngineError, match=message):
        starts(0, partition)
