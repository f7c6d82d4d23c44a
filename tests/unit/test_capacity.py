"""The decision whether one more trial may start, rule by rule and on a simulated machine."""

from __future__ import annotations

import heapq
from dataclasses import replace

import pytest

from probe.runner.capacity import (
    CALM_MS,
    MOST_TRIAL_MB,
    NEW_DRIVER_MB,
    PACE_CORE_S,
    RESERVE_MB,
    RUNNABLE_PER_CORE,
    STARTING_PER_CORE,
    Caps,
    LimitedBy,
    Machine,
    Trials,
    limited_by,
    reserve_mb,
    seen_trial_mb,
)
from probe.runner.trial_limit import MOST

IDLE = Machine(cores=2, idle=1.0, memory_mb=8000)
SOME = Trials(busy=10, resting=5, starting=3)


@pytest.mark.parametrize(
    ("machine", "crowd", "caps", "cause"),
    [
        (IDLE, SOME, Caps(), None),
        (IDLE, SOME, Caps(jobs=10), LimitedBy.JOBS),
        (IDLE, SOME, Caps(jobs=11), None),
        (IDLE, replace(SOME, resting=20), Caps(jobs=15), LimitedBy.JOBS),
        (IDLE, SOME, Caps(files=15), LimitedBy.FILES),
        (IDLE, SOME, Caps(files=16), None),
        (IDLE, SOME, Caps(after_failures=10), LimitedBy.FAILURES),
        (replace(IDLE, lag_ms=CALM_MS), SOME, Caps(), LimitedBy.LOOP),
        (replace(IDLE, lag_ms=CALM_MS - 1), SOME, Caps(), None),
        (IDLE, Trials(resting=MOST), Caps(), LimitedBy.LOOP),
        (replace(IDLE, idle=0.0, runnable=RUNNABLE_PER_CORE + 1), SOME, Caps(), LimitedBy.CORES),
        (replace(IDLE, idle=0.0, runnable=RUNNABLE_PER_CORE), SOME, Caps(), None),
        (replace(IDLE, idle=0.3, runnable=50), SOME, Caps(), None),
        (replace(IDLE, idle=None), SOME, Caps(), None),
        (replace(IDLE, idle=None), Trials(busy=60), Caps(), LimitedBy.CORES),
        (IDLE, Trials(busy=90, starting=2 * STARTING_PER_CORE), Caps(), LimitedBy.STARTS),
        (replace(IDLE, cores=4), Trials(busy=90, starting=2 * STARTING_PER_CORE), Caps(), None),
        (IDLE, Trials(busy=90, starting=2 * STARTING_PER_CORE - 9, new_drivers=3), Caps(), LimitedBy.STARTS),
        (IDLE, replace(SOME, last_start_s=0.4 * PACE_CORE_S), Caps(), LimitedBy.STARTS),
        (replace(IDLE, cores=4), replace(SOME, last_start_s=0.4 * PACE_CORE_S), Caps(), None),
        (replace(IDLE, memory_mb=RESERVE_MB + 199), SOME, Caps(), LimitedBy.MEMORY),
        (replace(IDLE, memory_mb=RESERVE_MB + 201), SOME, Caps(), None),
        (replace(IDLE, memory_mb=RESERVE_MB + NEW_DRIVER_MB), replace(SOME, new_drivers=1), Caps(), LimitedBy.MEMORY),
        (replace(IDLE, memory_mb=1), Trials(), Caps(), None),
        (replace(IDLE, memory_mb=None), SOME, Caps(), None),
        # of several causes the one is shown that lasts longest
        (replace(IDLE, lag_ms=500, memory_mb=1), SOME, Caps(jobs=10), LimitedBy.JOBS),
    ],
)
def test_each_cause(machine: Machine, crowd: Trials, caps: Caps, cause: LimitedBy | None) -> None:
    assert limited_by(machine, crowd, caps) is cause


def test_memory_is_reserved_and_estimated_within_bounds() -> None:
    assert reserve_mb(None) == reserve_mb(2000) == RESERVE_MB
    assert reserve_mb(64_000) == 4000
    assert seen_trial_mb(8000, 7000, 20) == 50
    assert seen_trial_mb(8000, 7000, 0) == MOST_TRIAL_MB
    assert seen_trial_mb(7000, 8000, 5) > 0, "other programs may return memory"


class Simulation:
    """Cores that share their time equally among trials; a trial takes CPU while it starts, and then waits."""

    STEP_S, RECENT_S, START_S, WATCH_S = 0.02, 0.5, 1.5, 8.0
    """Length of a step; of averages; of a start's own waiting; of an observation."""

    def __init__(self, cores: int, cpu_s: float, trial_mb: float = 30, memory_mb: float = 20_000) -> None:
        self.cores, self.cpu_s, self.trial_mb, self.at_first_mb = cores, cpu_s, trial_mb, memory_mb
        self.least_mb, self.most_runnable = memory_mb, 0.0

    def run(self, trials: int, exactly: int | None = None) -> float:
        """Return the seconds that this many trials take."""
        now, last, left = 0.0, -1.0, trials
        needs: list[float] = []
        starting: list[float] = []
        ends: list[float] = []
        idle: list[float] = []
        queue: list[int] = []
        while left or needs or ends:
            flying = len(needs) + len(ends)
            memory = self.at_first_mb - self.trial_mb * flying
            self.least_mb = min(self.least_mb, memory)
            samples = int(self.RECENT_S / self.STEP_S)
            recent, runnable = idle[-samples:], queue[-samples:]
            machine = Machine(
                cores=self.cores,
                idle=sum(recent) / len(recent) if recent else None,
                runnable=sum(runnable) / max(1, len(runnable)) / self.cores,
                memory_mb=memory,
            )
            crowd = Trials(
                busy=flying,
                starting=len(needs) + len(starting),
                last_start_s=now - last,
                trial_mb=seen_trial_mb(self.at_first_mb, memory, flying),
            )
            may = limited_by(machine, crowd, Caps()) is None if exactly is None else flying < exactly
            while may and left:
                left, last = left - 1, now
                needs.append(self.cpu_s)
                may = exactly is not None and len(needs) + len(ends) < exactly
            share = min(1.0, self.cores / max(1, len(needs))) * self.STEP_S
            queue.append(len(needs))
            idle.append(max(0.0, 1 - len(needs) / self.cores))
            self.most_runnable = max(self.most_runnable, len(needs) / self.cores)
            done = [one for one in needs if one <= share]
            needs = [one - share for one in needs if one > share]
            now += self.STEP_S
            for _ in done:
                heapq.heappush(starting, now + self.START_S)
                heapq.heappush(ends, now + self.START_S + self.WATCH_S)
            while starting and starting[0] <= now:
                heapq.heappop(starting)
            while ends and ends[0] <= now:
                heapq.heappop(ends)
        return now


@pytest.mark.parametrize("cores", [1, 2, 4])
@pytest.mark.parametrize("cpu_s", [0.06, 0.18, 0.6])
@pytest.mark.parametrize("trials", [120, 400])
def test_the_simulated_run_is_nearly_as_fast_as_with_the_best_fixed_number(
    cores: int, cpu_s: float, trials: int
) -> None:
    machine = Simulation(cores, cpu_s)
    took = machine.run(trials)
    best = min(Simulation(cores, cpu_s).run(trials, fixed) for fixed in (20, 40, 80, 120, 160))
    assert took <= 1.1 * best
    assert machine.most_runnable <= 3 * RUNNABLE_PER_CORE


def test_a_small_memory_is_not_exhausted() -> None:
    machine = Simulation(2, 0.1, trial_mb=60, memory_mb=1800)
    machine.run(200)
    assert machine.least_mb >= RESERVE_MB / 2
    assert machine.least_mb < 1000, "what there is, is used"
