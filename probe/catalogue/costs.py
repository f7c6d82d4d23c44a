"""Measured costs that ship with the package: `data/costs.csv`, written by `probe sweep --csv`."""

from __future__ import annotations

from functools import cache

from probe.catalogue.families import CatalogueError
from probe.catalogue.files import data_file
from probe.model.cost_point import CostPoint, of_csv

SCENARIOS = (
    "leader/elected",
    "disk/storage-error",
    "broker/kill",
    "broker/rolling",
    "cluster/restart",
    "net/blackhole",
    "metadata/leaderless",
)
"""Scenarios in which costs are measured, since there the fault of one partition is that of many
(probe/engines/embedded/many_partitions.py), in the order in which they are shown."""


@cache
def shipped_costs() -> tuple[CostPoint, ...]:
    """Return the measured points. CatalogueError for a broken file."""
    path = data_file("costs.csv")
    try:
        return tuple(of_csv(path.read_text(encoding="utf-8")))
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise CatalogueError(f"{path.name} is broken: {error}") from None
