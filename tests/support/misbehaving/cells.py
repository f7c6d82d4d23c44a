"""Cells of the misbehaving client, run at the same time on fake clusters and judged."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from probe import verdict
from probe.catalogue.families import read_family
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen
from probe.cli.wiring.composition import embedded_engine, live_tools
from probe.drivers.host import Bound
from probe.drivers.launch import Launch
from probe.model import Client, Engine, History, Outcome, Profile, Role, Trigger, Verdict
from probe.planning.plan import Planned, make_plan
from probe.planning.selection import Selection
from probe.runner import Options, Tools
from probe.runner.trial.trial import run_trial

HERE = Path(__file__).parent
FAMILY = read_family(HERE / "client.toml")
CHOSEN = Chosen(FAMILY, FAMILY.newest)
CLIENT = Client(FAMILY.family, FAMILY.newest.version)
LAUNCH = Launch((sys.executable, str(HERE / "driver.py")), "the driver of the tests")
STARTING = 6
ATTEMPTS = 3


@dataclass(frozen=True)
class Case:
    """A trial to run."""

    way: str = "no"
    scenario: str = "disk/storage-error"
    role: str = "producer"
    profile: str = "isolated"
    broker: str = "3.9"
    trial: int = 0
    """Number of the trial. It differs between cases of one cell, because instances are named after both."""
    watch_ms: int | None = None
    alone: bool = False
    """Whether the trial has its own driver process."""
    asks: bool = False
    """Whether the client has to request metadata after the fault, which one with ticks may have had no chance to."""


def plan(case: Case) -> Planned:
    properties = () if case.way == "no" else (("misbehave", case.way),)
    selection = Selection(
        clients=[CHOSEN],
        scenarios=select_scenarios([case.scenario]),
        roles=[Role(case.role)],
        profiles=[Profile(case.profile, properties)],
        engine=Engine.EMBEDDED,
        brokers=[case.broker],
    )
    (found,) = make_plan(selection).cells
    return found


def play_all(cases: Mapping[str, Case]) -> dict[str, tuple[History, Verdict]]:
    """Run and judge the cases; trials in which the harness failed are run again, as the pool does."""

    async def go() -> dict[str, History]:
        starting = asyncio.Semaphore(STARTING)
        async with live_tools(embedded_engine(), {CLIENT: Bound(LAUNCH, FAMILY.instances_per_process)}) as tools:
            work = [_play(case, tools, starting) for case in cases.values()]
            return dict(zip(cases, await asyncio.gather(*work), strict=True))

    return {name: (history, verdict.judge(history)) for name, history in asyncio.run(go()).items()}


async def _play(case: Case, tools: Tools, starting: asyncio.Semaphore) -> History:
    item, options = plan(case), Options(seed=1, watch_ms=case.watch_ms)
    for _ in range(ATTEMPTS):
        # without the harmless election, which most of these clients do not bear
        history = await run_trial(item, case.trial, tools, options, starting, alone=case.alone, young=True)
        stalled = history.header.loop_lag_ms > verdict.STALL_MS
        if not stalled and not history.header.problems and _decides(case, history):
            break
    if case.scenario == "steady":
        return history
    return replace(history, header=replace(history.header, steady=Outcome.CLEAN))


def _decides(case: Case, history: History) -> bool:
    return not case.asks or verdict.judge(history).facts.refresh_trigger is not Trigger.NONE
