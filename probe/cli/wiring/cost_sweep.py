"""A sweep of cost: the checks before it, and its trials, one at a time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import uvloop

from probe.catalogue.costs import SCENARIOS
from probe.cells.cli_hints import in_folder
from probe.cli.console.skips import skipped
from probe.cli.console.streams import say
from probe.cli.wiring.composition import live_tools
from probe.cli.wiring.exclusive_run import exclusive_run
from probe.cli.wiring.execution import PreparedRun, prepare_run
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.signals import restored_handlers
from probe.drivers.host import Bound
from probe.errors import InterruptedRunError, ProbeError
from probe.model import Client
from probe.model.cost import CostRun, PointCost
from probe.model.counts import counted
from probe.model.engines import ENGINES
from probe.model.roles import ROLES
from probe.model.scale import Scale
from probe.planning.plan import Plan, Planned
from probe.processes.machine import MachineFiles
from probe.processes.resources import file_limit, thread_limit
from probe.runner import Options
from probe.runner.cost.cost_trial import CostTrial
from probe.runner.cost.machine_room import (
    BUFFERED,
    INTERPRETED,
    RECORDS_PER_CORE,
    SINGLE,
    SINGLE_PER_CORE,
    THREADED,
    Room,
    chosen_interval_ms,
    clients_per_process,
    too_large,
)
from probe.runner.cost.real_limits import unmeasured, with_brokers
from probe.runner.loop_lag import no_collector
from probe.store.costs import write_cost
from probe.store.run_description import new_run_id


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSweep:
    """Cells, each at each scale."""

    asked: RunSelection
    scales: Sequence[Scale]
    interval_ms: int | None = None
    """None = by the largest scale and this machine."""

    def measured(self, results: str, wait_s: float, report: Callable[[PointCost], None]) -> CostRun:
        """Run the trials and store them; `report` gets each. ProbeError, before any, for what does not fit here."""
        self._check()
        plan, selection = self.asked.whole()
        self._check_brokers(plan)
        items = [item for item in plan.cells if not item.is_control]
        if not items:
            raise ProbeError(
                "; ".join(skipped(plan, selection)) or f"sweep {self.asked.scenarios[0]}: no cell of it runs"
            )
        with exclusive_run(results, wait_s=wait_s):
            interval_ms = self._fitting_ms(items)
            say(f"each client writes a record to each of its partitions every {interval_ms} ms")
            ready = prepare_run(Plan(tuple(items), ()), selection.clients)
            items = [item for item in items if item.cell.client in ready.bound]
            run = _Run(items, self.scales, interval_ms, ready, selection.seed, results, report)
            return run.play()

    def _check(self) -> None:
        asked = self.asked
        if not ENGINES[asked.engine].counts_cost:
            raise ProbeError(f"--engine {asked.engine}: its brokers do not count requests by client; leave it out")
        if asked.security is not None:
            raise ProbeError("--security: costs are those of PLAINTEXT so far; leave it out")
        if other := [name for name in asked.scenarios if name not in SCENARIOS]:
            raise ProbeError(f"sweep {other[0]}: costs are measured in {', '.join(SCENARIOS)} so far")
        if other_roles := [role for role in asked.roles if not ROLES[role].counts_cost]:
            raise ProbeError(f"--role {other_roles[0]}: costs are those of producers so far; leave it out")

    def _check_brokers(self, plan: Plan) -> None:
        """Raise ProbeError for what is not measured on real brokers."""
        lines = sorted({item.cell.broker for item in plan.cells if ENGINES[item.cell.engine].real})
        if reason := next(filter(None, (unmeasured(line, self.scales) for line in lines)), ""):
            raise ProbeError(f"--engine {self.asked.engine}: {reason}")

    def _fitting_ms(self, items: Sequence[Planned]) -> int:
        """Return the interval. ProbeError with the number that fits, if a scale does not fit this machine."""
        machine = MachineFiles()
        interval_ms = self.interval_ms or 0
        for item in items:
            room = _room(item, machine)
            interval_ms = interval_ms or chosen_interval_ms(self.scales[-1], room)
            for scale in reversed(self.scales):
                if reason := too_large(scale, interval_ms, room):
                    raise ProbeError(f"{item.cell.client}, {reason}")
        return interval_ms


def _room(item: Planned, machine: MachineFiles) -> Room:
    family, left = item.chosen.family, machine.threads_left()
    room = Room(
        cores=machine.cores,
        memory_mb=machine.available_mb(),
        files=file_limit(),
        threads=thread_limit() if left is None else min(left, thread_limit()),
        per_process=family.instances_per_process,
        threaded=family.language in THREADED,
        buffered=family.language in BUFFERED,
        interpreted=family.language in INTERPRETED,
        records_per_core=SINGLE_PER_CORE if family.language in SINGLE else RECORDS_PER_CORE,
    )
    return with_brokers(room) if ENGINES[item.cell.engine].real else room


@dataclass
class _Run:
    """The trials of a sweep of cost as they are played."""

    items: Sequence[Planned]
    scales: Sequence[Scale]
    interval_ms: int
    ready: PreparedRun
    seed: int
    results: str
    report: Callable[[PointCost], None]

    def __post_init__(self) -> None:
        self._stored = CostRun(run_id=new_run_id(), seed=self.seed)
        self._signals: list[int] = []

    def play(self) -> CostRun:
        """Play them. InterruptedRunError after a signal; what was measured is stored."""
        try:
            with restored_handlers(), no_collector():
                uvloop.run(self._trials())
        except (asyncio.CancelledError, KeyboardInterrupt):
            kept, way_on = "nothing is stored", "give the same command again"
            if self._stored.points:
                kept = f"{counted(len(self._stored.points), 'point')} stored"
                way_on = f"`probe sweep --run {self._stored.run_id}{in_folder(self.results)}` shows them"
            number = next(iter(self._signals), int(signal.SIGINT))
            raise InterruptedRunError(f"interrupted: {kept}; {way_on}", number, self._stored.run_id) from None
        return self._stored

    async def _trials(self) -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._end, task, number)
        for item in self.items:
            for scale in self.scales:
                async with live_tools(self.ready.engine.port, self._bound(item, scale)) as tools:
                    trial = CostTrial(
                        item=item,
                        scale=scale,
                        interval_ms=self.interval_ms,
                        tools=tools,
                        options=Options(seed=self.seed),
                    )
                    self._keep(await trial.play())

    def _bound(self, item: Planned, scale: Scale) -> Mapping[Client, Bound]:
        """Return the start of the client, with as many clients in a process as fit at this scale."""
        bound = self.ready.bound[item.cell.client]
        return {item.cell.client: replace(bound, instances=clients_per_process(scale, _room(item, MachineFiles())))}

    def _end(self, task: asyncio.Task[None] | None, number: int) -> None:
        self._signals.append(number)
        if task is not None:
            task.cancel()

    def _keep(self, point: PointCost) -> None:
        self._stored = CostRun(run_id=self._stored.run_id, seed=self.seed, points=(*self._stored.points, point))
        write_cost(self.results, self._stored)
        self.report(point)
