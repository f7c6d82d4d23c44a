"""Where the objects of a trial are placed, by what the broker that fails is to have of it."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import default_scenarios
from probe.model import Role
from probe.model.placement import Places, Spread, TopicPlan
from probe.runner.trial.start_modes import spread_of


@pytest.mark.parametrize(
    ("spread", "affected", "bystander", "coordinator", "beside"),
    [
        (Spread.SHARED, (2, 1, 3), (2, 1, 3), 2, 2),
        (Spread.BYSTANDER_APART, (2, 1, 3), (1, 3), 2, 1),
        (Spread.COORDINATES_ONLY, (1, 3), (1, 3), 2, 1),
        (Spread.NOTHING, (1, 3), (1, 3), 1, 1),
    ],
)
def test_places(
    spread: Spread, affected: tuple[int, ...], bystander: tuple[int, ...], coordinator: int, beside: int
) -> None:
    plan = TopicPlan(feed_ms=0, bystander_ms=100, spread=spread)
    assert plan.places(2, (1, 2, 3)) == Places(
        affected=affected, bystander=bystander, coordinator=coordinator, bystander_coordinator=beside
    )


@pytest.mark.parametrize(
    ("scenario", "role", "spread"),
    [
        ("steady", Role.PRODUCER, Spread.SHARED),
        ("broker/shutdown", Role.PRODUCER, Spread.BYSTANDER_APART),
        ("broker/kill", Role.GROUP, Spread.COORDINATES_ONLY),
        ("bootstrap/first-dead", Role.PRODUCER, Spread.NOTHING),
    ],
)
def test_scenarios(scenario: str, role: Role, spread: Spread) -> None:
    part = default_scenarios()[scenario].variant(role)
    assert part is not None
    assert spread_of(part) is spread
