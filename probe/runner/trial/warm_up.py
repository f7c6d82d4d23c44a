"""Warm-up of a client: it serves, and its metadata becomes old enough for the fault."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from probe.drivers.process import RunningInstance
from probe.errors import DriverLostError, FalseReportError, SilentDriverError
from probe.model import App, AppKind, MarkKind, Target
from probe.model.clock import now_us
from probe.model.counts import counted
from probe.model.roles import ROLES
from probe.recorder import FAILURES, Recorder
from probe.runner.trial.client_limits import refresh_ms
from probe.runner.trial.compatibility import answers_met, connected, incompatibility_reason
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.state import TrialState
from probe.scenarios.reach import Versions, depends_on_version, out_of_reach
from probe.verdict.apis import proving
from probe.verdict.phases import LONGEST_MS
from probe.verdict.usage_counts import versions_used
from probe.verdict.wire_evidence import WireEvidence

WARM_S = 45.0
"""Longest time until a client serves; beyond it, it has no steady state here."""
WARM_OPERATIONS, WARM_TRANSACTIONS = 3, 2
"""As many as prove recovery (docs/verdicts.md#recovered). A third transaction would take long on busy old brokers, and
delay the whole cohort."""
FLOOD = 10_000
"""Reports of a client without a connection that nothing explains: drivers say notices and rebalances by the dozen."""
PACED = FAILURES | {AppKind.SENT}
"""Kinds of which there are as many as the application or its library makes attempts."""
SIGNS_OF_START = frozenset({AppKind.READY, AppKind.NOTICE})
TICKS = 3
"""As many frequent refreshes come before the fault, so that the verdict can see their interval."""


async def nothing() -> None:
    """Hold no election."""


async def warm_up(
    state: TrialState, pacing: Pacing, served: Callable[[], None], elect: Callable[[], Awaitable[None]] = nothing
) -> bool:
    """Wait until operations succeed on both partitions and metadata is old enough; return whether that happened.

    `served` is called in between, then `elect`, which holds the harmless election and waits for the client.
    FalseReportError if the driver reports what cannot have happened.
    """
    recorder, subject = state.recorder, state.header.subject
    reached = await _until_serving(state)
    if is_flood(recorder):
        raise FalseReportError(
            f"its driver made {FLOOD} reports beside errors, and its client opened no connection; correct what it "
            "reports"
        )
    if recorder.ending is not None:
        _ended_early(state, recorder.ending)
        return False
    if not reached:
        partitions = (subject.affected, subject.bystander)
        counts = ", ".join(f"{recorder.successes[partition]} on partition {partition}" for partition in partitions)
        _never_served(state, f"warm-up did not end within {WARM_S:.0f} s: {counts} succeeded")
        return False
    state.learn()
    if reason := _impossible(state):
        state.header = replace(state.header, impossible=reason)
        return False
    recorder.mark(MarkKind.WARM)
    served()
    await elect()
    await pacing.wait(_wait_s(state))
    if _young_ms(state) and not _ticks_often(state):  # franz-go's producer refreshes once more at exactly that age
        await pacing.wait(_wait_s(state))
    return True


async def _until_serving(state: TrialState) -> bool:
    """Wait until a client serves, has ended, or its driver reports without an end; return whether that was in time.

    FalseReportError if operations are reported as done and no request has passed the relay.
    """

    def is_over(now: Recorder) -> bool:
        return now.ending is not None or is_serving(state, now) or is_flood(now)

    recorder = state.recorder
    reached = await recorder.until(lambda now: is_over(now) or is_unfounded(now), WARM_S)
    if not is_unfounded(recorder):
        return reached
    state.read_on()  # a client may have started and read its first records before its requests are decoded
    if is_unfounded(recorder):
        done = counted(recorder.successes.total(), "operation")
        raise FalseReportError(
            f"its driver reports {done} done, and no broker was asked for any; correct what it reports"
        )
    return await recorder.until(is_over, WARM_S)


def is_serving(state: TrialState, now: Recorder) -> bool:
    """Return whether operations have succeeded on both partitions, and the role's other operations, too."""
    subject, role = state.header.subject, state.item.cell.role
    enough = WARM_OPERATIONS * state.item.load.batch
    served = all(now.successes[partition] >= enough for partition in (subject.affected, subject.bystander))
    if ROLES[role].transactional:
        served = now.kinds[AppKind.TXN_COMMITTED] >= WARM_TRANSACTIONS
    if asked_the_controller(state, now):
        served = served and now.created[AppKind.LISTED] + now.created[AppKind.LIST_ERROR] >= WARM_OPERATIONS
    if subject.bystander_instance:
        served = served and now.beside >= WARM_OPERATIONS
    return served and (not ROLES[role].member or now.kinds[AppKind.COMMITTED] > 0)


def is_unfounded(now: Recorder) -> bool:
    """Return whether operations are reported as done before any request: each needs one, which comes first."""
    return not now.asked and now.successes.total() >= WARM_OPERATIONS


def is_flood(now: Recorder) -> bool:
    """Return whether a driver reports without an end for a client that has opened no connection."""
    return not now.connected and sum(times for kind, times in now.kinds.items() if kind not in PACED) >= FLOOD


async def check_life(now: Recorder, instance: RunningInstance, *, alone: bool) -> None:
    """Raise SilentDriverError if an instance opened no connection in its warm-up, and reported nothing but its start.

    DriverLostError if its process answers no ping, and holds others that may be the reason.
    """
    if now.connected or now.ending is not None or now.kinds.keys() - SIGNS_OF_START:
        return
    await instance.check()
    if instance.died and not alone:
        raise DriverLostError(instance.died)
    raise SilentDriverError(
        f"its driver opened no connection and reported no operation within {WARM_S:.0f} s of the start of an instance, "
        "without which no trial is possible; correct it"
    )


def asked_the_controller(state: TrialState, now: Recorder) -> bool:
    """Return whether the trial is about the controller, and the client has asked it something."""
    return state.header.play.target is Target.CONTROLLER and now.created[AppKind.SENT] > 0


def _impossible(state: TrialState) -> str:
    """Return why this client cannot meet the fault with its settings."""
    part = state.item.variant
    if state.header.play.target is Target.CONTROLLER and not state.recorder.created[AppKind.LISTED]:
        asked = asked_the_controller(state, state.recorder)
        return "it can create no topic here" if asked else "it has no call that creates topics"
    acks = state.recorder.settings.get("acks", "all")
    if part.acks_all and acks not in {"all", "-1"}:
        return f"it writes with acks={acks}, which waits for no other replica; profile idempotent asks for all"
    return out_of_reach(part, _versions(state)) if depends_on_version(part) else ""


def _versions(state: TrialState) -> Versions:
    """Return the highest version of each request in warm-up, named as in the verdict's facts."""
    return dict(versions_used(WireEvidence(state.history())))


def _never_served(state: TrialState, what: str) -> None:
    """Note why a client did not end its warm-up: these brokers refuse it, it does not serve with them, or the harness.

    Only the control cell can show the first two: a client that served there and does not serve now has overloaded
    brokers.
    """
    recorder, cell = state.recorder, state.item.cell
    events = recorder.history(state.header).events
    if not state.item.is_control or not connected(events):
        state.problem(what)
        return
    served = bool(recorder.successes) or recorder.kinds[AppKind.TXN_COMMITTED] > 0
    main = proving(cell.role)
    if reason := incompatibility_reason(cell.broker, events, main, served=served, engine=cell.engine):
        state.header = replace(state.header, impossible=reason)
    else:
        state.header = replace(state.header, unserved=f"{what}; {answers_met(events)}")


def _ended_early(state: TrialState, ending: App) -> None:
    if ending.kind is AppKind.UNSUPPORTED:
        state.header = replace(state.header, impossible=ending.text or "the driver says so")
        return
    reason = ending.text or (ending.error.text if ending.error else "")
    _never_served(state, f"the client ended in warm-up ({ending.kind}): {reason}")


def _wait_s(state: TrialState) -> float:
    """Return the seconds to wait before the fault: past the minimum discovery age, and for three frequent refreshes."""
    left_ms = _young_ms(state)
    if _ticks_often(state):
        left_ms = max(left_ms, TICKS * refresh_ms(state.recorder.settings))
    return (left_ms + state.item.pace.work_ms) / 1000


def _young_ms(state: TrialState) -> int:
    """Return the milliseconds until metadata is old enough that the client would refresh it; 0 if it is."""
    age_ms = state.header.limits.min_discovery_age_ms
    return max(0, age_ms - (now_us() - state.recorder.discovered_at) // 1000) if age_ms else 0


def _ticks_often(state: TrialState) -> bool:
    return 0 < refresh_ms(state.recorder.settings) <= LONGEST_MS
