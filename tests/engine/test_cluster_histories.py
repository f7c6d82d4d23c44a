"""Every kind of history is seen by a plain client, on both engines (tests/support/history_checks.py)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from probe.cli.wiring.composition import embedded_engine
from probe.cli.wiring.kafka_engine import kafka_engine
from probe.model import History, Request, Response, Subject
from probe.model.cluster_history import history_plan
from probe.model.endpoint import Endpoint
from probe.model.placement import TopicPlan
from probe.ports import EnginePort, discard
from probe.toolchain.tools import ToolError
from tests.support.history_checks import Looked, checks
from tests.support.real_cells import planned, play

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
        addresses: dict[int, Endpoint] = {node: tap.address(node) for node in cluster.nodes}
        for check in checks(line):
            try:
                await check(Looked(addresses, subject, line))
            except AssertionError as error:
                failed.append(f"{check.__name__}: {error}")
    return failed


@pytest.mark.parametrize("line", ["0.11.0", "2.0", "2.6", "3.9", "4.3", "4.4"])
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


@pytest.mark.real
def test_events_do_not_grow_with_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    item = planned("sarama@1.43.3", "leader/elected", "producer")  # this library asks for all topics
    ((with_others, _),) = play([item])
    monkeypatch.setattr(
        "probe.engines.embedded.engine.history_plan", lambda line: replace(history_plan(line), topics={})
    )
    ((alone, _),) = play([item])
    many, few = map(answers_about_everything, (with_others, alone))
    assert {len(answer.rows) for answer in many} == {len(answer.rows) for answer in few} == {2}
    assert {answer.others for answer in many} == {answer.others + 100 for answer in few}
    assert with_others.header.subject.history.partitions == 100
    assert alone.header.subject.history.partitions == 0


def answers_about_everything(history: History) -> list[Response]:
    """Return the answers to requests for all topics."""
    asked = {(one.conn, one.corr) for one in history.events if isinstance(one, Request) and one.everything}
    found = [one for one in history.events if isinstance(one, Response) and (one.conn, one.corr) in asked]
    assert found
    return found
