"""One trial: a cluster, a client, one fault, and everything that was observed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from probe.errors import CrowdedError, DriverLostError, HarnessError, YoungError
from probe.model import History, Symptom
from probe.model.engines import ENGINES
from probe.model.roles import ROLES
from probe.planning.plan import Planned
from probe.ports import Cluster, Tap
from probe.processes.resources import exhaustion
from probe.runner.tools import Options, Tools
from probe.runner.trial.environment import StartingSlot, TrialEnvironment
from probe.runner.trial.own_certificate import CertificateFile, certificate_of
from probe.runner.trial.setup import make_header
from probe.runner.trial.start_modes import run_instances
from probe.runner.trial.state import TrialState, new_recorder
from probe.runner.trial.teardown import read_back
from probe.tokens.server import TokenServer, token_server
from probe.verdict.patience import MOST_AWAITED_MS


async def run_trial(
    item: Planned,
    trial: int,
    tools: Tools,
    options: Options,
    starting: asyncio.Semaphore,
    *,
    alone: bool = False,
    young: bool = False,
    rest: Callable[[], None] = lambda: None,
    dawdles: Callable[[], None] = lambda: None,
    closed: Callable[[], None] = lambda: None,
    ready: Callable[[Callable[[], History]], None] = lambda _: None,
) -> History:
    """Run one trial and return its history; failures of the harness are in the header's problems.

    `rest` is called when the trial mostly waits for its client's next reaction, `dawdles` when the client takes long to
    start. `closed` is called after the client's end, before the revert with others and the read-back. `ready` is called
    before the fault, with what returns the history so far.
    `young`: there is no harmless election before the fault. Raises DriverLostError if the driver process ended and the
    trial did not run alone, CrowdedError if its cohort was too large for the fault, YoungError if the client does not
    bear the harmless election, ExhaustedError if a resource of this machine is exhausted.
    """
    header = make_header(item, trial, tools, options)
    state = TrialState(item, header, new_recorder(header))
    slot = StartingSlot(starting, dawdles)
    try:
        if not ENGINES[item.cell.engine].cohorts:  # a cohort's topics are made at once
            await slot.take()
        async with asyncio.timeout(_hard_limit_s(item)):
            own = tools.of(item.variant)
            await _run(
                state,
                own,
                lambda cluster, tap, *held: TrialEnvironment(
                    cluster, tap, own, options, slot, rest, ready, alone, young, *held
                ),
                closed,
            )
    except TimeoutError:
        state.problem(f"took longer than {_hard_limit_s(item):.0f} s")
    except (HarnessError, ExceptionGroup) as error:
        _note(state, error)
    finally:
        slot.release()
        _end_if_cancelled()
    return state.history()


def _end_if_cancelled() -> None:
    """Raise CancelledError if the run was cancelled: clean-up may swallow it, and another attempt would start."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _note(state: TrialState, error: HarnessError | ExceptionGroup[Exception]) -> None:
    """Record a failure of the harness, or of concurrent tasks of it; raise any other error."""
    if (own := exhaustion(error)) is not None:
        raise own from error
    group = error if isinstance(error, ExceptionGroup) else ExceptionGroup("", [error])
    for kind in (DriverLostError, CrowdedError, YoungError):
        found, _ = group.split(kind)
        if found is not None:
            raise kind(str(found.exceptions[0])) from error
    known, others = group.split(HarnessError)
    if others is not None:
        raise others
    if known is not None:
        state.problem("; ".join(map(str, known.exceptions)))


async def _run(
    state: TrialState,
    tools: Tools,
    environment: Callable[[Cluster, Tap, TokenServer | None, CertificateFile | None], TrialEnvironment],
    closed: Callable[[], None],
) -> None:
    access = tools.access(state.item.profile, state.item.variant.cluster)
    with certificate_of(access, state.item.variant) as certificate:
        async with (
            token_server(access, state.on_event, state.item.variant.token_ms) as tokens,
            tools.engine.cluster(state.item.cell.broker, state.on_event, access) as (cluster, tap),
        ):
            state.read_on = tap.read_on
            try:
                await run_instances(state, environment(cluster, tap, tokens, certificate))
                closed()
                await read_back(state, cluster)
            finally:
                await _keep(state, tap, tools)


async def _keep(state: TrialState, tap: Tap, tools: Tools) -> None:
    """Keep the client's handshakes, and the capture if there is one; an earlier attempt's is overwritten."""
    state.header = replace(state.header, handshakes=tap.handshakes(state.header.subject.client_id))
    if tools.keep is not None and (capture := tap.captured()) is not None:
        await asyncio.to_thread(tools.keep, state.header.cell, state.header.trial, capture)


def _hard_limit_s(item: Planned) -> float:
    """Return a limit that no healthy trial reaches: start under load, longest patience, revert, closing."""
    longest = (
        420.0
        if item.expectation.kind in {Symptom.SILENCE, Symptom.CONNECTION}
        or ROLES[item.cell.role].member
        or item.expectation.closes
        else 60.0
    )
    awaited = MOST_AWAITED_MS / 1000 if item.limits.to_the_end else 0.0
    return 240.0 + 2 * item.expectation.watch_ms / 1000 + longest + awaited
