"""The pace of a cell: that of its role and engine, within what its scenario permits. Pure."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Engine, Expectation, Role, Target
from probe.model.engines import ENGINES
from probe.model.paces import LONG_INTERVAL_MS, SELDOM, Pace
from probe.model.roles import ROLES

LONG_OBSERVATION_MS = 60_000
"""Observations of at least this length mostly observe silence."""
OPERATIONS = 3
"""Consecutive successes that prove a client's recovery (docs/verdicts.md#recovered)."""


def usual_pace(engine: Engine, role: Role) -> Pace:
    """Return the pace of a role on an engine."""
    return ENGINES[engine].pace or ROLES[role].shared_pace


def pace_of(engine: Engine, role: Role, expectation: Expectation) -> Pace:
    """Return the pace of a cell; no interval is shorter than that of its work around the fault.

    Work takes at most half of what is prompt. A group whose coordinator fails works seldom: the decisive operations are
    commits, which come every second.
    """
    pace = usual_pace(engine, role)
    if ROLES[role].member and expectation.target is Target.COORDINATOR:
        pace = replace(SELDOM, bystander_ms=pace.bystander_ms)
    is_long = expectation.watch_ms >= LONG_OBSERVATION_MS and expectation.prompt_ms >= 2 * OPERATIONS * LONG_INTERVAL_MS
    is_long = is_long and not expectation.closes  # operations must be under way when the client is closed
    work_ms = min(pace.long_ms if is_long else pace.work_ms, expectation.prompt_ms // 2)
    return Pace(
        work_ms=work_ms,
        long_ms=work_ms,
        warm_ms=max(work_ms, pace.warm_ms),
        wait_ms=max(work_ms, pace.wait_ms),
        late_ms=max(work_ms, pace.late_ms),
        idle_ms=max(work_ms, pace.idle_ms),
        bystander_ms=min(pace.bystander_ms, expectation.prompt_ms // 4),
    )
