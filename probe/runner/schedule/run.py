"""State of a run that its trials share: the plan, control cells, limits, and what ends it early."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from probe.errors import ExhaustedError
from probe.model import Cell, Election, Verdict
from probe.planning.plan import Plan, Planned
from probe.ports import Store
from probe.processes.resources import exhaustion
from probe.runner.schedule.adaptive_limit import AdaptiveLimit
from probe.runner.schedule.repeats import Repeats
from probe.runner.tools import Options, Tools
from probe.scenarios.reach import Versions
from probe.verdict.control import ControlResult, settle_control


@dataclass(frozen=True, slots=True)
class Progress:
    """One judged trial, for progress reports."""

    done: int
    total: int
    cell: Cell
    verdict: Verdict
    election: Election | None = None
    """Times of the election, on real brokers."""
    standing: str = ""
    """The number of trials in flight, and its limit."""


@dataclass
class Run:
    """State of a run."""

    plan: Plan
    tools: Tools
    options: Options
    store: Store
    report: Callable[[Progress], None]
    repeats: Repeats
    steady: dict[Cell, asyncio.Future[ControlResult]]
    starting: asyncio.Semaphore
    limit: AdaptiveLimit
    versions: dict[Cell, Versions] = field(default_factory=dict)
    """Request versions that each judged control cell sent."""
    young: set[Cell] = field(default_factory=set)
    """Control cells that are clean only without the harmless election; the other cells of these clients have none."""
    done: int = 0
    total: int = 0
    standing: Callable[[], str] = str
    """Returns how many trials are in flight and what limits them, for people."""
    stopped_by: ExhaustedError | None = None
    """The exhausted resource that prevented the start or the verdict of a trial."""

    def may_start(self) -> bool:
        """Return whether a further trial may start; False once a resource of this machine is exhausted."""
        self.stopped_by = self.stopped_by or self.store.exhausted
        return self.stopped_by is None

    def stop(self, item: Planned, reason: ExhaustedError) -> None:
        """Start no further trial; neither the cell's trial nor trials that wait for it are judged."""
        self.stopped_by = self.stopped_by or reason
        control = self.steady.get(item.cell)
        if control is not None and not control.done():
            control.set_exception(reason)
            control.exception()  # marks it as retrieved, in case no other trial waits for it

    @contextmanager
    def stopping(self, item: Planned) -> Iterator[None]:
        """Stop the run if a resource that the block needed is exhausted."""
        try:
            yield
        except Exception as error:
            if (reason := exhaustion(error)) is None:
                raise
            self.stop(item, reason)

    def settle_control(self, cell: Cell) -> None:
        """Release the trials that wait for a control cell once its judged trials settle it."""
        waiting = self.steady[cell]
        if not waiting.done() and (result := settle_control(self.repeats.outcomes(cell))) is not None:
            waiting.set_result(result)

    def known_control(self, item: Planned) -> ControlResult | None:
        """Return the result of a cell's control cell; None if it is not known, or the cell is one."""
        waiting = None if item.is_control else self.steady.get(item.steady)
        if waiting is None or not waiting.done() or waiting.exception() is not None:
            return None
        return waiting.result()

    def learn_young(self, item: Planned) -> None:
        """Note that a client did not bear the harmless election, if this is its control cell."""
        if item.is_control:
            self.young.add(item.cell)

    def go_on(self) -> None:
        """Raise ExhaustedError if no further trial may start."""
        if not self.may_start() and self.stopped_by is not None:
            raise self.stopped_by

    def has_time(self, seconds: float) -> bool:
        """Return whether work that takes `seconds` ends within the time budget."""
        return self.options.stop_at is None or time.monotonic() + seconds <= self.options.stop_at
