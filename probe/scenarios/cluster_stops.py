"""Role variants of scenarios in which all brokers stop at once and return at the same addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Expectation, Role
from probe.model.cluster import COUNT
from probe.model.roles import ROLES
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker, When
from probe.scenarios.steps.partitions import LoseAllLeaders

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

LEADERLESS_MS = 2000
"""Time after the brokers' return until leaders and coordinators are in office, in ms; real brokers take their own."""
REAL_RETURN_MS = 30_000
"""Time in which three real brokers start and are in sync, in ms; they are watched for longer by as much."""
SESSION_MS = 35_000
"""Time by which members of groups are watched for longer, in ms: some first wait for the end of a session of 30 s."""
STOPPED = tuple(StopBroker(turn=turn) for turn in range(COUNT))


def variants_of_the_cluster(play: Expectation, down_ms: int) -> tuple[RoleVariant, ...]:
    """Return the variant on the embedded engine: down for `down_ms`, then without leaders for `LEADERLESS_MS`."""
    back = (ReturnBroker(when=When(after_ms=down_ms), turn=turn) for turn in range(COUNT))
    steps: tuple[Step, ...] = (*STOPPED, LoseAllLeaders(), *back)
    return _by_role(play, steps, down_ms + LEADERLESS_MS)


def real_variants_of_the_cluster(play: Expectation, down_ms: int) -> tuple[RoleVariant, ...]:
    """Return the variant on real brokers: they are killed, and started after `down_ms`; elections are their own."""
    longer = replace(play, watch_ms=play.watch_ms + REAL_RETURN_MS)
    return _by_role(longer, STOPPED, down_ms)


def _by_role(play: Expectation, steps: tuple[Step, ...], heal_after_ms: int) -> tuple[RoleVariant, ...]:
    others = tuple(role for role in Role if not ROLES[role].member)
    variant = RoleVariant(roles=others, expectation=play, steps=steps, heal_after_ms=heal_after_ms)
    members = replace(play, watch_ms=play.watch_ms + SESSION_MS)
    return variant, replace(variant, roles=(Role.GROUP,), expectation=members)
