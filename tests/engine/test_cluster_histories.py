"""Every kind of history is seen by a plain client, on both engines (tests/support/history_seen.py)."""

from __future__ import annotations

import asyncio

import pytest

from probe.cli.wiring.compose import embedded_engine
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.model import Subject
from probe.model.cluster import BROKERS
from probe.model.endpoint import Endpoint
from probe.model.placement import TopicPlan
from probe.ports import EnginePort, discard
from probe.toolchain.tools import ToolError
from tests.support.history_seen import Looked, checks

PLAN = TopicPlan(feed_ms=0, bystander_ms=0)
SUBJECT = Subject(
    topic="probe-seen",
    affected=0,
    bystander=1,
    instance="seen",
    client_id="seen",
    group="g-seen",
    transactional_id="t-seen",
    old=2,
)


async def look(engine: EnginePort, line: str) -> list[str]:
    """Run all checks on one cluster, and return those that fail."""
    failed = []
    async with engine.cluster(line, discard) as (cluster, tap):
        subject = await cluster.prepare(SUBJECT, PLAN)
        addresses: dict[int, Endpoint] = {node: tap.address(node) for node in BROKERS}
        for check in checks(line):
            try:
                await check(Looked(addresses, subject, line))
            except AssertionError as error:
                failed.append(f"{check.__name__}: {error}")
    return failed


@pytest.mark.parametrize("line", ["0.11.0", "2.0", "2.6", "3.9", "4.3"])
def test_a_plain_client_sees_the_history_of_a_fake_cluster(line: str) -> None:
    assert asyncio.run(look(embedded_engine(), line)) == []


@pytest.mark.real
@pytest.mark.parametrize(("line", "version"), [("3.9", "3.9.2"), ("2.6", "2.6.2")])
def test_a_plain_client_sees_the_history_of_a_real_cluster(line: str, version: str) -> None:
    try:
        engine = kafka_engine({line: version}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))

    async def go() -> list[str]:
        async with engine:
            return await look(engine, line)

    assert asyncio.run(go()) == []
