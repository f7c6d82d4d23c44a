"""Trials of cost with real clients: each of them is judged, and relay and brokers count the same requests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from probe.cli.wiring.composition import embedded_engine, get_clients, live_tools
from probe.cli.wiring.kafka_engine import exact_versions, kafka_engine
from probe.drivers.host import Bound
from probe.model import Client, Engine
from probe.model.cost import PointCost
from probe.model.scale import Scale
from probe.planning.plan import Plan, Planned
from probe.ports import EnginePort
from probe.runner import Options
from probe.runner.cost.cost_trial import CostTrial
from probe.toolchain.tools import ToolError
from tests.support.real_cells import planned

pytestmark = pytest.mark.real
CLIENT = "sarama@1.43.3"
ATTEMPTS = 3
"""A trial in which the harness failed, as it can on a busy machine, is played again."""


def cost_of(scenario: str, scale: Scale, client: str = CLIENT, properties: Sequence[str] = ()) -> PointCost:
    """Play a trial of cost until the harness had no problem in it."""
    item = planned(client, scenario, properties=properties)
    bound, absent = get_clients([item.chosen], lambda _: None)
    if absent:
        pytest.fail(f"clients that are not available here: {absent}")

    return played(item, scale, embedded_engine(), bound)


def played(item: Planned, scale: Scale, engine: EnginePort, bound: Mapping[Client, Bound]) -> PointCost:
    async def go() -> PointCost:
        async with live_tools(engine, bound) as tools:
            trial = CostTrial(item=item, scale=scale, interval_ms=1000, tools=tools, options=Options(seed=1))
            return await trial.play()

    for _ in range(ATTEMPTS):
        found = asyncio.run(go())
        if not found.problems:
            break
    return found


def test_a_hundred_clients_are_judged_each_and_counted_to_the_request() -> None:
    found = cost_of("disk/storage-error", Scale(clients=100, partitions=2))
    assert found.problems == ()
    assert found.differences == ()
    assert len({client.client_id for client in found.clients}) == 100
    assert all(client.working == 2 for client in found.clients)
    assert all(client.requests.get("Metadata") for client in found.clients)
    assert sum(client.requests["Metadata"] for client in found.clients) == found.metadata
    assert found.memory_mb > 0


def test_a_killed_broker_loses_what_was_under_way_and_nothing_else() -> None:
    found = cost_of("broker/kill", Scale(clients=3, partitions=4))
    assert found.problems == ()
    assert found.differences == ()
    assert all(client.working == 4 for client in found.clients)
    assert found.connections >= 3


def test_requests_above_a_rate_are_refused_and_counted_all_the_same() -> None:
    found = cost_of("disk/storage-error", Scale(clients=4, partitions=5, admitted=2))
    assert found.problems == ()
    assert found.differences == ()
    assert found.metadata > 4


@pytest.mark.parametrize("scenario", ["metadata/leaderless", "leader/elected"])
def test_all_partitions_work_again_in_further_scenarios(scenario: str) -> None:
    found = cost_of(scenario, Scale(clients=2, partitions=4), "franz-go@latest")
    assert found.problems == ()
    assert found.differences == ()
    assert all(client.working == 4 for client in found.clients)
    assert (found.works_ms or 0) > (4000 if scenario == "metadata/leaderless" else 0)


@pytest.mark.parametrize("merges", [False, True])
def test_sarama_asks_once_per_partition_unless_it_merges_its_questions(merges: bool) -> None:
    """IBM/sarama #3224: 1,000 partitions and 100 producers came to 100,000 requests; `Metadata.SingleFlight` (1.46).

    Answers come two seconds late, so that all partitions wait for the first one, however busy the machine is.
    """
    scale = Scale(clients=2, partitions=20, late=2000)
    found = cost_of("disk/storage-error", scale, "sarama@1.61.1", [f"Metadata.SingleFlight={str(merges).lower()}"])
    assert found.problems == ()
    assert found.works_ms is not None
    pairs = scale.clients * scale.partitions
    assert found.metadata < pairs // 2 if merges else found.metadata >= pairs


def test_real_brokers_count_the_requests_of_clients_alone() -> None:
    item = planned("sarama@1.61.1", "disk/storage-error", engine=Engine.KAFKA)
    try:
        engine = kafka_engine(exact_versions(Plan((item,), ())), lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))
    bound, absent = get_clients([item.chosen], lambda _: None)
    assert not absent
    found = played(item, Scale(clients=3, partitions=4), engine, bound)
    assert (found.engine, found.problems, found.differences) == ("kafka", (), ())
    assert len(found.clients) == 3
    assert all(client.working == 4 for client in found.clients)
    assert all(client.requests.get("Metadata") for client in found.clients)
