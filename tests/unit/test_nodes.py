"""The brokers of a cluster as a value, whatever their ids are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probe.engines.embedded.nodes import NODES as FAKE
from probe.engines.kafka.cluster.nodes import NODES as REAL
from probe.engines.kafka.cluster.properties import CONTROLLER, INTERNAL_PARTITIONS
from probe.model.cluster import COUNT, PLANNED, Nodes
from probe.model.placement import Spread, TopicPlan

OTHER = Nodes((104, 7, 12), bootstrap=-9)


def test_offices_pass_on_by_place() -> None:
    assert [OTHER.next(node) for node in OTHER] == [7, 12, 104]
    assert OTHER.beginning(7) == (7, 12, 104)
    assert [OTHER.at(place) for place in range(-1, 4)] == [12, 104, 7, 12, 104]
    assert [OTHER.place(node) for node in OTHER] == [0, 1, 2]
    with pytest.raises(ValueError, match="not in tuple"):
        OTHER.next(1)


def test_others_keep_their_places() -> None:
    assert (OTHER.others(7), OTHER.others(104, 12), OTHER.turns(12)) == ((104, 12), (7,), (12, 104, 7))
    assert OTHER.addresses == (-9, 104, 7, 12)


@pytest.mark.parametrize(
    ("nodes", "planned", "own", "turned"),
    [
        ((2, 3), 2, 104, (104, 7)),  # the failing broker and its successor
        ((2, 3), 2, 12, (12, 104)),
        ((1, 2, 3), 3, 7, (12, 104, 7)),  # all, in an order that the seed decides
        ((1, 2, 3), 1, 104, (104, 7, 12)),
        ((0,), 3, 7, (-9,)),  # the address that never moves
    ],
)
def test_planned_brokers_get_the_ids_of_their_cluster(
    nodes: tuple[int, ...], planned: int, own: int, turned: tuple[int, ...]
) -> None:
    assert OTHER.turned(nodes, planned, own) == turned


def test_a_trial_is_placed_on_brokers_of_any_ids() -> None:
    found = TopicPlan(feed_ms=0, bystander_ms=0, spread=Spread.BYSTANDER_APART).places(7, OTHER)
    assert (found.affected, found.bystander) == ((7, 104, 12), (104, 12))
    assert (found.coordinator, found.bystander_coordinator) == (7, 104)


def test_every_engine_has_as_many_brokers_as_scenarios_and_seeds_choose_among() -> None:
    assert [len(nodes) for nodes in (PLANNED, FAKE, REAL)] == [COUNT] * 3
    assert 2 * len(REAL) == INTERNAL_PARTITIONS
    assert CONTROLLER not in REAL


def test_the_fake_cluster_calls_its_brokers_so() -> None:
    found = re.search(
        r"var Brokers = \[\]int32\{(.*)\}", Path("go_shim/internal/fake/topology/topology.go").read_text()
    )
    assert found is not None
    assert tuple(map(int, found[1].split(", "))) == FAKE.ids
