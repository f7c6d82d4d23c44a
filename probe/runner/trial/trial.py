"""One trial: a cluster, a client, one fault, and everything that was seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from probe.errors import DriverLostError, HarnessError
from probe.model import Engine, History, Kind, Role
from probe.planning.plan import Planned
from probe.ports import Cluster, Tap
from probe.processes.resources import exhaustion
from probe.recorder import Recorder
from probe.runner.tools import Options, Tools
from probe.runner.trial.environment import Stage, StartingSlot
from probe.runner.trial.setup import make_header
from probe.runner.trial.start_modes import play
from probe.runner.trial.state import Course
from probe.runner.trial.teardown import take_stock


async def run_trial(
    item: Planned,
    trial: int,
    tools: Tools,
    options: Options,
    starting: asyncio.Semaphore,
    *,
    alone: bool = False,
    rest: Callable[[], None] = lambda: None,
    dawdles: Callable[[], None] = lambda: None,
    closed: Callable[[], None] = lambda: None,
) -> History:
    """Run one trial; failures of the harness stand in the header's problems.

    `rest` is called when little is left to do but to wait for what the client does next, `dawdles` when it takes long
    to start, `closed` once the client is gone: what is left is to mend, with others, and to read back.
    Raises DriverLostError when the driver process ended and the trial did not run alone, ExhaustedError when this
    machine has no more of something.
    """
    header = make_header(item, trial, tools, options)
    course = Course(item, header, Recorder(by_wire=bool(header.judged_by)))
    slot = StartingSlot(starting, dawdles)
    try:
        if item.cell.engine is not Engine.KAFKA:  # a cohort's topics are made at once
            await slot.take()
        async with asyncio.timeout(_hard_limit_s(item)):
            await _run(
                course, tools, lambda cluster, tap: Stage(cluster, tap, tools, options, slot, rest, alone), closed
            )
    except TimeoutError:
        course.problem(f"took longer than {_hard_limit_s(item):.0f} s")
    except (HarnessError, ExceptionGroup) as error:
        _note(course, error)
    finally:
        slot.release()
        _end_if_cancelled()
    return course.history()


def _end_if_cancelled() -> None:
    """Whatever cleans up may swallow that the run was cancelled: without this it would go on with another attempt."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _note(course: Course, error: HarnessError | ExceptionGroup[Exception]) -> None:
    """Note a failure of the harness, or failures of tasks beside each other; anything else is raised."""
    if (own := exhaustion(error)) is not None:
        raise own from error
    group = error if isinstance(error, ExceptionGroup) else ExceptionGroup("", [error])
    lost, _ = group.split(DriverLostError)
    if lost is not None:
        raise DriverLostError(str(lost.exceptions[0])) from error
    known, others = group.split(HarnessError)
    if others is not None:
        raise others
    if known is not None:
        course.problem("; ".join(map(str, known.exceptions)))


async def _run(
    course: Course, tools: Tools, stage: Callable[[Cluster, Tap], Stage], closed: Callable[[], None]
) -> None:
    async with tools.engine.cluster(course.item.cell.broker, course.take) as (cluster, tap):
        try:
            await play(course, stage(cluster, tap))
            closed()
            await take_stock(course, cluster)
        finally:
            await _keep(course, tap, tools)


async def _keep(course: Course, tap: Tap, tools: Tools) -> None:
    """Store what passed through the relay, if that is wanted; a trial that is run again takes its place."""
    if tools.keep is not None and (capture := tap.captured()) is not None:
        await asyncio.to_thread(tools.keep, course.header.cell, course.header.trial, capture)


def _hard_limit_s(item: Planned) -> float:
    """Return a limit that no healthy trial reaches: starting under load, the longest patience, healing, closing."""
    longest = 420.0 if item.play.kind in {Kind.SILENCE, Kind.CONNECTION} or item.cell.role is Role.GROUP else 60.0
    return 240.0 + 2 * item.play.watch_ms / 1000 + longest
