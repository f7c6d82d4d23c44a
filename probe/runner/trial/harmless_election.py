"""A harmless election before the fault: the client asks, and then works without an error (docs/engines.md)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from probe.errors import YoungError
from probe.model import AppKind, History, Mark, MarkKind, Request
from probe.model.clock import now_us
from probe.model.engines import ENGINES
from probe.model.roles import ROLES
from probe.planning.plan import Planned
from probe.protocol.apis import LOG_APIS
from probe.recorder import Recorder
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.state import TrialState
from probe.verdict.instances import separate

FURTHER_SUCCESSES = 2
"""Operations that succeed after the election: one may have been under way at the former leader."""
SERVES_S, REAL_SERVES_S = 8.0, 20.0
"""Longest time from the election until the client serves again, beyond the age at which it refreshes its metadata."""
ASKS_S = 2.0
"""Longest wait for the question of a client that serves again, for instance by a hint (KIP-951)."""
QUIET_S = 2.0
"""Time for which the client works without an error before its fault: the length of a storm's window."""
CALMS_S = 10.0
"""Longest wait for that time."""


def holds_election(item: Planned, *, young: bool) -> bool:
    """Return whether a trial has the harmless election; `young` if its client is known not to bear it.

    It has none where the judged client starts under the fault, where the scenario's topic must not have had an
    election, for readers that followers serve, and for admins, which ask for metadata with their questions and work at
    no leader.
    """
    part = item.variant
    late = part.at_start or part.second_instance
    barred = young or late or part.unelected or part.cluster.racks or ROLES[item.cell.role].asks
    return ENGINES[item.cell.engine].harmless_election and not barred


def had_election(history: History) -> bool:
    """Return whether a trial had the harmless election."""
    return any(isinstance(event, Mark) and event.kind is MarkKind.ELECTED for event in history.events)


@dataclass(frozen=True, slots=True)
class _Before:
    """The client's requests before the former leader served no more."""

    served: int
    committed: int


async def hold_election(state: TrialState, environment: TrialEnvironment) -> None:
    """Hold the harmless election, and wait until the client has asked and has worked without an error for a while.

    Raises YoungError for a client that does not serve again, goes on reporting errors, or works on elsewhere: a reader
    at the former leader, which serves it as a follower in sync (Fetch v11 and later without an epoch).
    """
    recorder = state.recorder
    elected = await environment.cluster.elect()
    at = recorder.mark(MarkKind.ELECTED)
    before = _Before(recorder.successes[state.header.subject.affected], _transactions(recorder))
    limit_s = (
        REAL_SERVES_S if ENGINES[state.item.cell.engine].real else SERVES_S
    ) + state.header.limits.min_discovery_age_ms / 1000
    served = await recorder.until(lambda now: now.ending is not None or _serves(state, now, before), limit_s)
    if not served or recorder.ending is not None:
        raise YoungError(f"it did not serve within {limit_s:.0f} s after a harmless election")
    await recorder.until(lambda now: now.ending is not None or now.informed_at > elected.began, ASKS_S)
    await _be_quiet(recorder, now_us() if recorder.informed_at > elected.began else now_us() - int(ASKS_S * 1e6))
    if not _works_at(state, elected.leader, since=at):
        raise YoungError(f"it does not work at broker {elected.leader}, which a harmless election made the leader")


def _works_at(state: TrialState, broker: int, *, since: int) -> bool:
    """Return whether the client has sent requests of its work at the affected partition to a broker."""
    ours, _, _ = separate(state.history())
    return any(
        isinstance(one, Request)
        and one.at >= since
        and one.broker == broker
        and one.api in LOG_APIS
        and any(row.partition == state.header.subject.affected for row in one.rows)
        for one in ours
    )


async def _be_quiet(recorder: Recorder, since: int) -> None:
    """Wait until the client has reported no error for `QUIET_S`, from a time on. Raises YoungError."""
    end = now_us() + int(CALMS_S * 1e6)
    while True:
        left_s = QUIET_S - (now_us() - max(since, recorder.failed_at)) / 1e6
        if recorder.ending is not None or now_us() > end:
            raise YoungError(f"it reported errors for {CALMS_S:.0f} s after a harmless election")
        if left_s <= 0:
            return
        await asyncio.sleep(left_s)


def _serves(state: TrialState, now: Recorder, before: _Before) -> bool:
    """Return whether operations that began after the election have succeeded at the affected partition."""
    if ROLES[state.item.cell.role].transactional:
        return _transactions(now) >= before.committed + FURTHER_SUCCESSES
    return now.successes[state.header.subject.affected] >= before.served + FURTHER_SUCCESSES * state.item.load.batch


def _transactions(recorder: Recorder) -> int:
    return recorder.kinds[AppKind.TXN_COMMITTED]
