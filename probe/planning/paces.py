"""Paces: the intervals of a trial's operations, and of the records fed to it, per role and engine. Pure.

Real brokers and the fake get the same traffic around a fault. Where nothing is measured it is slower: dozens of cells
share real brokers and the cores of the machine. `docs/engines.md#load` shows the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from probe.model import Engine, Expectation, Role, Target
from probe.model.roles import ROLES

LONG_OBSERVATION_MS = 60_000
"""Observations of at least this length mostly observe silence."""
OPERATIONS = 3
"""Consecutive successes that prove a client's recovery (docs/verdicts.md#recovered)."""
LONG_INTERVAL_MS = 800
"""Recovery, which takes three operations, stays well within what is prompt at this interval."""
SLOW_INTERVAL_MS = 400
"""Interval of work that measures no time. Three successes at it are still a prompt recovery."""
TRANSACTION_INTERVAL_MS = 1600
"""Interval of transactions on real brokers. A transaction that begins before the markers of the last are written is
rejected (CONCURRENT_TRANSACTIONS) and retried every 20 to 100 ms. These retries keep brokers from writing the
markers."""
IDLE_INTERVAL_MS = LONG_INTERVAL_MS
"""Interval of a client of which nothing is required: its metadata grows old, or it is observed for storms only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Intervals in milliseconds, per partition."""

    work_ms: int
    """Around the fault: from some seconds before it until the client serves again."""
    long_ms: int
    """The same in an observation of a minute or longer."""
    warm_ms: int
    """From the client's start until it is ready for the fault."""
    wait_ms: int
    """During an outage of known length, and after a late first success."""
    late_ms: int
    """After a prompt recovery failed to come, until the first success."""
    idle_ms: int = IDLE_INTERVAL_MS
    """After the recovery."""
    bystander_ms: int
    """On the bystander, which only must not stall; a quarter of what is prompt if that is less."""


_FAKE = Pace(
    work_ms=100,
    long_ms=LONG_INTERVAL_MS,
    warm_ms=100,
    wait_ms=SLOW_INTERVAL_MS,
    late_ms=IDLE_INTERVAL_MS,
    bystander_ms=200,
)
_REAL = Pace(work_ms=100, long_ms=100, warm_ms=SLOW_INTERVAL_MS, wait_ms=100, late_ms=100, bystander_ms=1200)
_SELDOM = Pace(
    work_ms=SLOW_INTERVAL_MS,
    long_ms=LONG_INTERVAL_MS,
    warm_ms=SLOW_INTERVAL_MS,
    wait_ms=IDLE_INTERVAL_MS,
    late_ms=IDLE_INTERVAL_MS,
    bystander_ms=1200,
)
PACES: Mapping[Engine, Mapping[Role, Pace]] = MappingProxyType(
    {
        Engine.EMBEDDED: dict.fromkeys(Role, _FAKE),
        Engine.KAFKA: {
            Role.PRODUCER: _REAL,
            Role.CONSUMER: _REAL,
            Role.GROUP: _REAL,
            Role.ADMIN: _SELDOM,
            Role.TRANSACTIONAL: replace(_SELDOM, work_ms=TRANSACTION_INTERVAL_MS, long_ms=TRANSACTION_INTERVAL_MS),
        },
    }
)
"""The pace of every role on every engine."""


def pace_of(engine: Engine, role: Role, expectation: Expectation) -> Pace:
    """Return the pace of a cell; no interval is shorter than that of its work around the fault.

    Work takes at most half of what is prompt. A group whose coordinator fails works seldom: the decisive operations are
    commits, which come every second.
    """
    pace = PACES[engine][role]
    if ROLES[role].member and expectation.target is Target.COORDINATOR:
        pace = replace(_SELDOM, bystander_ms=pace.bystander_ms)
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
