"""Size of cohorts on real brokers that the available memory allows. Pure."""

from __future__ import annotations

from dataclasses import replace

from probe.runner.capacity import reserve_mb
from probe.runner.tools import Options

CLUSTER_MB = 750.0
"""Memory of a real cluster, in MB: three brokers and a controller of 170 MB each, and their logs in memory."""
CELL_MB = 30.0
"""Memory of a cell in a cohort, in MB, with its share of driver processes. A JVM has up to 32 of them, Python 8."""


def within_memory(options: Options, available_mb: float | None, clusters: int) -> Options:
    """Return the options with the size of cohorts that fits on this many clusters, at least one cell each."""
    if available_mb is None:
        return options
    left = (available_mb - reserve_mb(available_mb)) / max(1, clusters) - CLUSTER_MB
    fit = max(1, int(left / CELL_MB))
    return options if fit >= options.expected_jobs else replace(options, jobs=fit)


def cohort_fits(available_mb: float | None, cells: int) -> bool:
    """Return whether memory is left for one more cluster with this many cells."""
    return available_mb is None or available_mb - reserve_mb(available_mb) >= CLUSTER_MB + CELL_MB * cells
