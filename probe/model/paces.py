"""Paces: the intervals of a trial's operations, and of the records fed to it.

Real brokers and the fake get the same traffic around a fault. Where nothing is measured it is slower: dozens of cells
share real brokers and the cores of the machine. `docs/engines.md#load` shows the table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    eased: bool = True
    """Beyond the usual watch a client that stands still works seldom, and its answers are delayed; else as around the
    fault."""


OWN = Pace(
    work_ms=100,
    long_ms=LONG_INTERVAL_MS,
    warm_ms=100,
    wait_ms=SLOW_INTERVAL_MS,
    late_ms=IDLE_INTERVAL_MS,
    bystander_ms=200,
)
"""On brokers that a trial has for itself, in every role."""
SHARED = Pace(work_ms=100, long_ms=100, warm_ms=SLOW_INTERVAL_MS, wait_ms=100, late_ms=100, bystander_ms=1200)
"""On brokers that the trials of a cohort share."""
SELDOM = Pace(
    work_ms=SLOW_INTERVAL_MS,
    long_ms=LONG_INTERVAL_MS,
    warm_ms=SLOW_INTERVAL_MS,
    wait_ms=IDLE_INTERVAL_MS,
    late_ms=IDLE_INTERVAL_MS,
    bystander_ms=1200,
)
"""The same where an operation costs brokers more, or decides less."""
TRANSACTIONS = replace(SELDOM, work_ms=TRANSACTION_INTERVAL_MS, long_ms=TRANSACTION_INTERVAL_MS)
"""The same for transactions."""
