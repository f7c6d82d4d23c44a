"""Partitions of instances: a single instance writes to both, two transactional instances to one each."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from probe.ports import Start, discard
from probe.runner.tools import Options
from probe.runner.trial.setup import make_header, make_start, make_subject, run_bystander
from tests.support.real_cells import planned

TAP: Any = SimpleNamespace(address=lambda node: f"127.0.0.1:{node}")


@pytest.mark.parametrize(
    ("scenario", "role", "own", "bystander"),
    [
        ("coordinator/moved", "transactional", [0], [1]),
        ("coordinator/moved", "group", [0, 1], [0, 1]),
        ("topic/too-few-replicas", "transactional", [0, 1], None),
        ("disk/storage-error", "producer", [0, 1], None),
    ],
)
def test_a_transaction_with_a_bystander_has_one_partition(
    scenario: str, role: str, own: list[int], bystander: list[int] | None
) -> None:
    item = planned("sarama@1.43.3", scenario, role)
    subject = make_subject(item, "me", 1)
    start, others = make_start(item, subject, TAP), list[Start]()

    class Host:
        @contextlib.asynccontextmanager
        async def start(self, _: Any, other: Start, __: Any) -> AsyncIterator[None]:
            others.append(other)
            yield

    async def go() -> None:
        tools: Any = SimpleNamespace(host=Host())
        async with run_bystander(subject, item, tools, start, discard):
            pass

    asyncio.run(go())
    assert start.partitions == own
    assert [other.partitions for other in others] == ([] if bystander is None else [bystander])


def test_plain_names_do_not_say_which_library_it_is() -> None:
    item = planned("sarama@1.43.3", "disk/storage-error", "group")
    tools: Any = SimpleNamespace(artifacts={})
    assert "sarama" in make_header(item, 1, tools, Options()).subject.client_id
    subject = make_header(item, 1, tools, Options(plain_names=True)).subject
    for name in (subject.client_id, subject.instance, subject.topic, subject.group):
        assert name
        assert "sarama" not in name
