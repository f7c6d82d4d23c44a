"""The clients of a run in the groups in which they are obtained and played. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from probe.catalogue.selectors import Chosen
from probe.planning.plan import Plan

UNLISTED = 24
"""Unlisted releases that are obtained at once: they take less than 2 GB, and keep the cores busy."""


def client_groups(chosen: Sequence[Chosen]) -> list[tuple[Chosen, ...]]:
    """Return the clients in groups, in their order; listed versions, which stay in the cache, are all in the first."""
    unlisted = dict.fromkeys(item.client for item in chosen if item.family.find(item.version.version) is None)
    place = {client: number // UNLISTED for number, client in enumerate(unlisted)}
    count = max(place.values(), default=0) + 1
    return [tuple(item for item in chosen if place.get(item.client, 0) == number) for number in range(count)]


def part_of(plan: Plan, group: Sequence[Chosen]) -> Plan:
    """Return what a plan has of the clients of a group."""
    clients = {item.client for item in group}
    return Plan(tuple(item for item in plan.cells if item.cell.client in clients), plan.skips)
