"""Placement of the partitions and coordinators of a trial relative to the failing broker."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import default_scenarios
from probe.model import Role
from probe.model.cluster import Nodes
from probe.model.placement import Places, Spread, TopicPlan
from probe.runner.trial.start_modes import spread_of


@pytest.mark.parametrize(
    ("spread", "affected", "bystander", "coordinator", "bystander_coordinator"),
    [
        (Spread.SHARED, (2, 1, 3), (2, 1, 3), 2, 2),
        (Spread.BYSTANDER_APART, (2, 1, 3), (1, 3), 2, 1),
        (Spread.COORDINATES_ONLY, (1, 3), (1, 3), 2, 1),
        (Spread.NOTHING, (1, 3), (1, 3), 1, 1),
        (Spread.FOLLOWS, (1, 2, 3), (1, 3), 1, 1),
    ],
)
def test_spread_decides_the_places(
    spread: Spread, affected: tuple[int, ...], bystander: tuple[int, ...], coordinator: int, bystander_coordinator: int
) -> None:
    plan = TopicPlan(feed_ms=0, bystander_ms=100, spread=spread)
    assert plan.places(2, Nodes((1, 2, 3))) == Places(
        affected=affected,
        bystander=bystander,
        coordinator=coordinator,
        bystander_coordinator=bystander_coordinator,
    )


@pytest.mark.parametrize(
    ("scenario", "role", "spread"),
    [
        ("steady", Role.PRODUCER, Spread.SHARED),
        ("broker/shutdown", Role.PRODUCER, Spread.BYSTANDER_APART),
        ("broker/kill", Role.GROUP, Spread.COORDINATES_ONLY),
        ("bootstrap/first-dead", Role.PRODUCER, Spread.NOTHING),
        ("follower/killed", Role.GROUP, Spread.FOLLOWS),
    ],
)
def test_scenarios_have_their_spread(scenario: str, role: Role, spread: Spread) -> None:
    part = default_scenarios()[scenario].variant(role)
    assert part is not None
    assert spread_of(part) is spread
