"""The trials of a run as they are played: signals, progress, and how a run ends that does not end by itself."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import uvloop

from probe.cells.cli_hints import way_on
from probe.cli.console.further_trials import further_lines
from probe.cli.console.progress import Bar
from probe.cli.console.streams import say
from probe.cli.wiring.composition import live_tools
from probe.cli.wiring.engines import BuiltEngine
from probe.cli.wiring.signals import restored_handlers
from probe.drivers.host import Bound
from probe.errors import ExhaustedError, InterruptedRunError
from probe.model import Cell, Client, Election, Outcome, Verdict
from probe.model.counts import counted
from probe.planning.cohorts import estimate_s
from probe.planning.plan import Plan
from probe.runner import Options, Progress, run_plan
from probe.runner.loop_lag import no_collector
from probe.runner.schedule.repeats import Repeated
from probe.runner.tools import Keep
from probe.store import RunStore

Elections = dict[tuple[str, str], list[Election]]
"""Durations of elections, by scenario and release line."""


@dataclass(kw_only=True)
class TrialExecution:
    """The trials of a run as they are played, and what they showed."""

    engine: BuiltEngine
    bound: Mapping[Client, Bound]
    plan: Plan
    options: Options
    store: RunStore
    known: Mapping[Cell, Collection[Outcome]]
    finished: Mapping[tuple[Cell, int], Verdict]
    keep: Keep | None
    young: frozenset[Cell] = frozenset()
    """Control cells of clients that are known not to bear the harmless election."""
    reasons: dict[tuple[Cell, Outcome], str] = field(default_factory=dict)
    """The reason of each outcome that a trial of this execution had."""
    elections: Elections = field(default_factory=lambda: defaultdict(list))
    signals: list[int] = field(default_factory=list)

    def play(self) -> None:
        """Play the trials and say how many cells were judged.

        InterruptedRunError after a signal, ExhaustedError if a resource of this machine is exhausted.
        """
        started = time.monotonic()
        try:
            with restored_handlers(), no_collector():
                repeated = uvloop.run(self._trials())
        except (asyncio.CancelledError, KeyboardInterrupt):
            raise self._interrupted() from None
        except ExhaustedError as error:
            raise self._exhausted(error) from error
        say(f"{counted(self._judged, 'cell')} judged in {time.monotonic() - started:.0f} s")
        for line in further_lines(repeated):
            say(line)

    async def _trials(self) -> Repeated:
        self._end_by_signals()
        with Bar(estimate_s(self.plan, self.options.expected_jobs, self.options.watch_ms)) as bar:
            securities = {item.profile.security for item in self.plan.cells if item.profile.security is not None}
            by_name = self.engine.by_name if any(item.variant.by_name for item in self.plan.cells) else None
            async with live_tools(self.engine.port, self.bound, securities, by_name) as tools:
                return await run_plan(
                    self.plan,
                    replace(tools, keep=self.keep),
                    self.options,
                    self.store,
                    report=lambda step: self._report(step, bar),
                    known=self.known,
                    finished=self.finished,
                    young=self.young,
                    drain=self.engine.drain(),
                )

    def _end_by_signals(self) -> None:
        """Let a signal cancel the current task."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, task, number)

    def _end(self, task: asyncio.Task[Repeated] | None, number: int) -> None:
        self.signals.append(number)
        if task is not None:
            task.cancel()

    def _report(self, step: Progress, bar: Bar) -> None:
        self.reasons[step.cell, step.verdict.outcome] = step.verdict.reason
        if step.election is not None:
            self.elections[step.cell.scenario, step.cell.broker].append(step.election)
        bar.show(step)

    @property
    def _judged(self) -> int:
        return len({cell for cell, _ in self.reasons})

    def _interrupted(self) -> InterruptedRunError:
        number = self.signals[0] if self.signals else signal.SIGINT
        return InterruptedRunError(
            f"interrupted after {self._judged} cells, which are stored; {self._way_on}",
            int(number),
            self.store.run_id,
        )

    def _exhausted(self, error: ExhaustedError) -> ExhaustedError:
        return ExhaustedError(
            error.reason,
            f"no further trials were started after {self._judged} cells; {self._way_on}",
            self.store.run_id,
        )

    @property
    def _way_on(self) -> str:
        return way_on(self.store.run_id, self.store.results, resumable=self.store.resumable)
