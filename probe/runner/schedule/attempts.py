"""A trial until it says something about its client: with a process of its own, or without a harmless election."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from probe import verdict
from probe.errors import DriverLostError, YoungError
from probe.model import History, Outcome
from probe.planning.plan import Planned
from probe.runner.judge_executor import submit
from probe.runner.schedule.adaptive_limit import Permit
from probe.runner.schedule.run import Run
from probe.runner.trial.harmless_election import had_election
from probe.runner.trial.trial import run_trial


async def trial_of(run: Run, item: Planned, trial: int, place: Permit) -> History:
    """Run a trial; again in a process of its own, or without a harmless election, if need be."""
    tools, options = run.tools, run.options
    played = partial(
        run_trial, item, trial, tools, options, run.starting, rest=place.downgrade, dawdles=place.downgrade
    )
    alone, young = False, item.steady in run.young
    while True:
        try:
            return await played(alone=alone, young=young)
        except DriverLostError:
            alone = True
        except YoungError:
            young = True
            run.learn_young(item)


async def as_control_bears(
    run: Run, item: Planned, history: History, again: Callable[[], Awaitable[History]]
) -> History:
    """Return the trial, or `again` without a harmless election where the control cell is clean only without one."""
    if not had_election(history):
        return history
    control = run.steady.get(item.steady)
    if not item.is_control:
        if control is not None:
            await asyncio.shield(control)
        return await again() if item.steady in run.young else history
    if (await submit(verdict.judge, history)).outcome is Outcome.CLEAN:
        return history
    run.young.add(item.cell)
    without = await again()
    if (await submit(verdict.judge, without)).outcome is Outcome.CLEAN:
        return without
    run.young.discard(item.cell)
    return history
