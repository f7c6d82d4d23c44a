"""Whether one more trial may start on a machine in a given state, and what prevents it. Pure.

Trials mostly wait, so their number does not say how busy they keep a machine. What a start needs is measured: idle
cores, a punctual event loop, memory. What trials that have just started will need is not measured yet, so it is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from probe.runner.trial_limit import MOST

PACE_CORE_S = 0.03
"""Time of one core between two starts: a dozen at once would overload the machine, and leave it idle afterwards."""
STARTING_PER_CORE = 32
"""Most trials that start, per core. A start takes 2 to 3 s and mostly waits; a core serves some six per second."""
NEW_DRIVER_STARTS = 3
"""Starts that the start of a driver process counts for, in addition to its trial's: a JVM compiles, Python imports."""
IDLE = 0.1
"""Share of idle time of the cores below which the number of runnable threads decides."""
RUNNABLE_PER_CORE = 4.0
"""Runnable threads per core with which no trial starts if cores are not idle: clients that wait for CPU seem slow. A
thread gets a core after some 10 ms then; a fake cluster may go without for 400 ms, the loop for 250 ms."""
CALM_MS = 60
"""After a longer delay of the loop no trial starts for a while: events of drivers need some turns of the loop."""
HOLD = 5
"""Duration of that while, as a multiple of the delay."""
BLIND_PER_CORE = 20
"""Most busy trials per core where the system does not report idle time."""
RESERVE_MB, RESERVE_SHARE = 256, 1 / 16
"""Memory that stays free, in MB: for what trials in flight still take, and as a share of what was free at first."""
TRIAL_MB, LEAST_TRIAL_MB, MOST_TRIAL_MB = 50.0, 24.0, 200.0
"""Memory of a trial, in MB: until trials have been seen, and the bounds of what is made of them."""
NEW_DRIVER_MB = 200.0
"""Memory of a driver process that has just started, in MB: a JVM of the Java driver at most; others take less."""


class LimitedBy(StrEnum):
    """The reason for which the number of trials in flight does not grow."""

    JOBS = "--jobs"
    FILES = "open files"
    MEMORY = "memory"
    FAILURES = "failures of the harness"
    LOOP = "event loop"
    STARTS = "trials that start"
    CORES = "cores"
    CLUSTER_COUNT = "the number of clusters"
    """Real brokers: see `MAX_CLUSTERS` in probe/planning/cohorts.py, and memory at the start of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """State of the machine in the last moments."""

    cores: float
    idle: float | None = None
    """Share of idle time of these cores, 0 to 1; None if unknown."""
    runnable: float = 0.0
    """Runnable threads per core."""
    lag_ms: int = 0
    """Longest delay of the event loop that happened less than `HOLD` times its own length ago, in milliseconds."""
    memory_mb: float | None = None
    """Available memory, in MB; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """The trials in flight."""

    busy: int = 0
    resting: int = 0
    """Trials that only wait."""
    starting: int = 0
    """Of the busy ones, those whose clients do not work yet."""
    new_drivers: int = 0
    """Driver processes that have just started, or will with the next trial."""
    last_start_s: float = 1.0
    """Seconds since the last start."""
    trial_mb: float = TRIAL_MB
    """Memory of a trial, as seen."""

    @property
    def in_flight(self) -> int:
        """Number of all trials."""
        return self.busy + self.resting


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Fixed limits of a run, and the one that follows failures."""

    jobs: int | None = None
    """`--jobs`: most busy trials."""
    waiting_per_job: int = 1
    """Trials that only wait, for each of `jobs`."""
    files: int | None = None
    """Most trials in flight, by the limit of open files."""
    after_failures: int | None = None
    """Most busy trials after failures of the harness; None without failures."""
    reserve_mb: float = RESERVE_MB


Rule = Callable[[Machine, Trials, Caps], bool]


def _by_jobs(_: Machine, crowd: Trials, caps: Caps) -> bool:
    if caps.jobs is None:
        return False
    return crowd.busy >= caps.jobs or crowd.in_flight >= (1 + caps.waiting_per_job) * caps.jobs


def _by_files(_: Machine, crowd: Trials, caps: Caps) -> bool:
    return caps.files is not None and crowd.in_flight >= caps.files


def _by_failures(_: Machine, crowd: Trials, caps: Caps) -> bool:
    return caps.after_failures is not None and crowd.busy >= caps.after_failures


def _by_memory(machine: Machine, crowd: Trials, caps: Caps) -> bool:
    if machine.memory_mb is None or not crowd.in_flight:  # the first trial shows whether memory suffices at all
        return False
    expected = crowd.trial_mb * (crowd.starting + 1) + NEW_DRIVER_MB * crowd.new_drivers
    return machine.memory_mb - caps.reserve_mb < expected


def _by_loop(machine: Machine, crowd: Trials, _: Caps) -> bool:
    return machine.lag_ms >= CALM_MS or crowd.in_flight >= MOST


def _by_starts(machine: Machine, crowd: Trials, _: Caps) -> bool:
    starts = crowd.starting + NEW_DRIVER_STARTS * crowd.new_drivers
    return bool(crowd.starting) and starts >= STARTING_PER_CORE * machine.cores


def _by_cores(machine: Machine, crowd: Trials, _: Caps) -> bool:
    if machine.idle is None:
        return crowd.busy >= BLIND_PER_CORE * machine.cores
    return machine.idle < IDLE and machine.runnable > RUNNABLE_PER_CORE


def _by_pace(machine: Machine, crowd: Trials, _: Caps) -> bool:
    return crowd.last_start_s * machine.cores < PACE_CORE_S


RULES: tuple[tuple[LimitedBy, Rule], ...] = (
    (LimitedBy.JOBS, _by_jobs),
    (LimitedBy.FILES, _by_files),
    (LimitedBy.FAILURES, _by_failures),
    (LimitedBy.MEMORY, _by_memory),
    (LimitedBy.LOOP, _by_loop),
    (LimitedBy.CORES, _by_cores),
    (LimitedBy.STARTS, _by_starts),
    (LimitedBy.STARTS, _by_pace),
)
"""The first rule that holds prevents a start, and is shown."""
PASSING = frozenset({LimitedBy.LOOP, LimitedBy.CORES, LimitedBy.STARTS})
"""Causes that other programs may be responsible for, so a run does not wait for their end for ever."""


def limited_by(machine: Machine, crowd: Trials, caps: Caps) -> LimitedBy | None:
    """Return what prevents the start of one more trial; None if it may start."""
    return next((cause for cause, holds in RULES if holds(machine, crowd, caps)), None)


def reserve_mb(available_mb: float | None) -> float:
    """Return the memory that stays free in a run that began with this much, in MB."""
    return max(float(RESERVE_MB), (available_mb or 0) * RESERVE_SHARE)


def seen_trial_mb(at_first_mb: float, now_mb: float, in_flight: int) -> float:
    """Return the memory of a trial in flight, with its share of driver processes, in MB."""
    return min(MOST_TRIAL_MB, max(LEAST_TRIAL_MB, (at_first_mb - now_mb) / max(1, in_flight)))
