"""Measured costs that ship, and those of a results folder."""

from __future__ import annotations

from probe.catalogue.costs import shipped_costs
from probe.cli.console.streams import say
from probe.model.cost_point import points_of
from probe.model.results import ResultsError
from probe.site.pages.costs import KnownCosts
from probe.store.costs import read_costs


def known_costs(results: str) -> KnownCosts:
    """Return the points that ship and those of a results folder; sweeps that cannot be read are named and left out."""
    try:
        stored = [point for run in read_costs(results, say) for point in run.points]
    except ResultsError as error:
        say(str(error))
        stored = []
    lacking = tuple(
        f"{one.client}, {one.scenario}, {one.engine}, {one.scale}" for one in stored if not points_of([one])
    )
    return KnownCosts(tuple(dict.fromkeys((*shipped_costs(), *points_of(stored)))), lacking)
