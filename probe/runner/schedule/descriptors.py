"""How many trials may be in flight within the limit of open files.

Counted are this process's own: pipes of the processes that it starts, ports of the relay, both ends of what the relay
passes on, connections of the engine. A process that is started has limits of its own.
"""

from __future__ import annotations

from dataclasses import replace

from probe.errors import ExhaustedError
from probe.runner.tools import Options

OWN = 40
"""The interpreter, its libraries, the event loop, the gRPC server, and files of results that are written."""
DRIVER = 6
"""A driver process: three pipes, the descriptor of its end, its connection, and one more while it starts."""
TRIAL = 40
"""A trial on a fake cluster: 14 for the cluster's process and two for each port of the relay, and two for each of up to
12 connections of clients. Most trials take half of it."""
CLUSTER = 80
"""A cluster of real brokers: four for each of up to nine processes, the relay's ports, connections of the engine."""
SEAT = 40
"""A cell in a cohort: two for each of up to 18 connections of its instances, and some while its topic is read back."""


def within(options: Options, limit: int, clients: int) -> Options:
    """Return the options with as many trials in flight as fit, of so many client versions, on fake clusters.

    Drivers of every version may be kept for their next trial. Raises ExhaustedError where not even one trial fits.
    """
    _check(limit, OWN + DRIVER + TRIAL)
    fit = max(1, (limit - OWN - DRIVER * clients) // TRIAL)
    return replace(options, jobs=min(options.jobs, fit), in_flight=fit)


def within_cohorts(options: Options, limit: int, clients: int, clusters: int) -> tuple[Options, int]:
    """Return the options with cohorts of such a size, and so many clusters at the same time, that all fit.

    A cohort's cells share a cluster, so few clusters with large cohorts are better than many with small ones. Raises
    ExhaustedError where not even one cell on one cluster fits.
    """
    _check(limit, OWN + DRIVER + CLUSTER + SEAT)
    left = max(CLUSTER + SEAT, limit - OWN - DRIVER * clients)
    whole = CLUSTER + SEAT * options.jobs
    count = max(1, min(clusters, left // whole))
    return replace(options, jobs=max(1, min(options.jobs, (left // count - CLUSTER) // SEAT))), count


def _check(limit: int, needed: int) -> None:
    if limit < needed:
        raise ExhaustedError(f"one trial needs {needed} open files, and {limit} are allowed; raise `ulimit -n`")
