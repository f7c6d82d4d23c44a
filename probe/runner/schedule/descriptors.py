"""Number of concurrent trials that the limit of open files allows.

Only this process's own files count: pipes of its child processes, ports of the relay, both ends of relayed connections,
connections of the engine. A child process has its own limits.
"""

from __future__ import annotations

from dataclasses import replace

from probe.errors import ExhaustedError
from probe.runner.tools import Options

OWN = 40
"""Files of the interpreter, its libraries, the event loop, the gRPC server, and of results being written."""
DRIVER = 6
"""Files of a driver process: three pipes, its pidfd, its connection, and one more while it starts."""
TRIAL = 40
"""Files of a trial on a fake cluster: 14 for the cluster's process and two per port of the relay, and two for each of
up to 12 client connections. Most trials need half of them."""
CLUSTER = 80
"""Files of a real cluster: four for each of up to nine processes, the relay's ports, connections of the engine."""
SEAT = 40
"""Files of a cell in a cohort: two for each of up to 18 connections of its instances, and some for the read-back."""


def within(options: Options, limit: int, clients: int) -> Options:
    """Return the options with as many concurrent trials as fit, on fake clusters, of `clients` client versions.

    Drivers of every version may be kept for their next trial. Raises ExhaustedError if not even one trial fits.
    """
    _check(limit, OWN + DRIVER + TRIAL)
    fit = max(1, (limit - OWN - DRIVER * clients) // TRIAL)
    if options.exactly is not None and options.exactly > fit:
        raise ExhaustedError(f"--exactly {options.exactly}: {limit} open files allow {fit}; raise `ulimit -n`")
    return replace(options, jobs=None if options.jobs is None else min(options.jobs, fit), in_flight=fit)


def within_cohorts(options: Options, limit: int, clients: int, clusters: int) -> tuple[Options, int]:
    """Return the options with the size of cohorts, and the number of concurrent clusters, that fit.

    A cohort's cells share a cluster, so few clusters with large cohorts are better than many with small ones. Raises
    ExhaustedError if not even one cell on one cluster fits.
    """
    _check(limit, OWN + DRIVER + CLUSTER + SEAT)
    left = max(CLUSTER + SEAT, limit - OWN - DRIVER * clients)
    wanted = options.expected_jobs
    whole = CLUSTER + SEAT * wanted
    count = max(1, min(clusters, left // whole))
    return replace(options, jobs=max(1, min(wanted, (left // count - CLUSTER) // SEAT))), count


def _check(limit: int, needed: int) -> None:
    if limit < needed:
        raise ExhaustedError(f"one trial needs {needed} open files, and {limit} are allowed; raise `ulimit -n`")
