"""Stand-ins for the engine of real brokers and for the store, for tests of runs in cohorts."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from probe.access import Access
from probe.engines.kafka.cohort.barrier import Barrier
from probe.errors import EngineError, ExhaustedError
from probe.model import Cell, History, Role
from probe.model.verdicts import Verdict
from probe.planning.plan import Plan
from probe.ports import CohortLoad
from probe.runner.capacity import Machine
from probe.runner.schedule import cohorts
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.schedule.pool import run_plan
from probe.runner.tools import Options, Tools
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from tests.support import virtual_time

CELLS = 8
"""Cells per cohort."""
THREE_ROLES = (Role.PRODUCER, Role.CONSUMER, Role.GROUP)
"""Roles with 12 cells per scenario."""


class FakeSeat:
    def __init__(self) -> None:
        self.left = self.is_quiet = False
        self.barrier: Barrier[FakeSeat] = Barrier([self])
        self.before_fault: Callable[[], None] = lambda: None

    def ignore_events(self) -> None:
        self.is_quiet = True

    async def inject(self) -> None:
        async def action(_: object) -> None:
            self.before_fault()

        await self.barrier.wait(self, action)

    def leave(self) -> None:
        self.left = True
        self.barrier.leave(self)


class FakeEngine:
    """An engine that yields cohort members and keeps a list of them."""

    at_once, in_silence = 1, 0

    def __init__(self, failure: str = "") -> None:
        self.given: list[list[FakeSeat]] = []
        self._failure = failure

    @contextlib.asynccontextmanager
    async def cohort(
        self,
        broker: str,
        size: int,
        to_come: int = 0,
        spec: ClusterSpec = DEFAULT_CLUSTER,
        *,
        access: Access | None = None,
        silent: bool = False,
        before_fault: Callable[[], None] = lambda: None,
    ) -> AsyncIterator[list[FakeSeat]]:
        if self._failure:
            raise EngineError(self._failure)
        members = [FakeSeat() for _ in range(size)]
        barrier = Barrier(members)
        for member in members:
            member.barrier, member.before_fault = barrier, before_fault
        self.given.append(members)
        yield members


class NoLag:
    async def calm(self, patience_s: float) -> None:
        pass

    def has_spare(self) -> bool:
        return False

    def machine(self) -> Machine:
        return no_machine()


class Kept:
    exhausted: ExhaustedError | None = None

    def __init__(self) -> None:
        self.trials: list[tuple[History, Verdict]] = []
        self.loads: list[CohortLoad] = []

    def add(self, history: History, verdict: Verdict) -> None:
        self.trials.append((history, verdict))

    def has(self, cell: Cell, trial: int) -> bool:
        return any((history.header.cell, history.header.trial) == (cell, trial) for history, _ in self.trials)

    def add_cohort(self, load: CohortLoad) -> None:
        self.loads.append(load)

    def flush(self) -> None:
        pass


class ManyClusters(FakeEngine):
    """An engine with room for four clusters that counts those leased at the same time."""

    at_once = 4

    def __init__(self) -> None:
        super().__init__()
        self.now = 0

    @contextlib.asynccontextmanager
    async def cohort(self, broker: str, size: int, *args: Any, **more: Any) -> AsyncIterator[list[FakeSeat]]:
        self.now += 1
        async with super().cohort(broker, size, *args, **more) as members:
            yield members
        self.now -= 1


async def never(*_: Any) -> bool:
    return False


def run(
    plan: Plan,
    engine: FakeEngine,
    kept: Kept | None = None,
    finished: Mapping[tuple[Cell, int], Verdict] | None = None,
) -> Kept:
    kept = kept or Kept()
    tools: Any = Tools(engine=engine, host=None, lag=NoLag())  # type: ignore[arg-type]  # no host is started
    drain = cohorts.drain_in_cohorts(engine)  # type: ignore[arg-type]  # same
    run = run_plan(plan, tools, Options(seed=1), kept, report=lambda _: None, drain=drain, finished=finished)
    virtual_time.run(run)
    return kept


def numbers_of(kept: Kept) -> list[tuple[str, int]]:
    return sorted((str(history.header.cell), history.header.trial) for history, _ in kept.trials)
