"""The application closes its client while the fault stands (docs/verdicts.md#closing)."""

from __future__ import annotations

from dataclasses import replace

from probe.drivers.process import RunningInstance
from probe.model import MarkKind, Subject
from probe.model.clock import now_us
from probe.runner.trial.client_limits import close_limit_ms
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.state import TrialState, new_recorder
from probe.runner.trial.warm_up import WARM_S, is_serving
from probe.verdict.closing import hung

CLOSES_AFTER_S = 0.3
"""Time from the fault to the close. Records are under way then, and a quick election may be over or not."""


async def close_under_the_fault(state: TrialState, environment: TrialEnvironment, instance: RunningInstance) -> None:
    """Close the instance within its own limit and revert the fault; a close that hangs is tried again without it."""
    recorder, lag = state.recorder, environment.tools.lag
    await recorder.until(lambda now: now.ending is not None, CLOSES_AFTER_S)
    state.learn()
    limit_ms = close_limit_ms(recorder.settings)
    environment.downgrade()
    asked, began = recorder.ending is None, now_us()
    if asked:
        recorder.mark(MarkKind.STOPPING, str(limit_ms))
        await instance.stop(limit_ms)
    end = recorder.mark(MarkKind.STOPPED)
    state.header = replace(
        state.header,
        clock_error_us=instance.clock_error_us,
        watched_ms=(end - state.fault_at) // 1000,
        loop_lag_ms=lag.worst_ms(state.fault_at, end),
    )
    await environment.revert()
    if asked and hung(recorder.ending, limit_ms, end - began):
        await _compare(state, environment, limit_ms)


async def _compare(state: TrialState, environment: TrialEnvironment, limit_ms: int) -> None:
    """Let another instance work and close without a fault. Note it if that hangs as well."""
    recorder = new_recorder(state.header)
    start = environment.start_of(state.item, _beside(state.header.subject))
    async with environment.tools.host.start(state.item.cell, start, recorder.add, alone=environment.alone) as instance:
        works = await recorder.until(lambda now: now.ending is not None or is_serving(state, now), WARM_S)
        if not works or recorder.ending is not None:
            return
        began = now_us()
        await instance.stop(limit_ms)
    if hung(recorder.ending, limit_ms, now_us() - began):
        text = f"close() does not return within {limit_ms / 1000:.0f} s without a fault either"
        state.header = replace(state.header, impossible=text)


def _beside(subject: Subject) -> Subject:
    """Return the subject of another instance, whose names do not begin like those of the judged one."""
    name = f"again-{subject.instance}"
    return replace(
        subject,
        instance=name,
        client_id=name,
        group=subject.group and f"again-{subject.group}",
        transactional_id=subject.transactional_id and f"again-{subject.transactional_id}",
    )
