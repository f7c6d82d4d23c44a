"""Wait for the phase of a trial: the moment of the client's own interval at which its fault comes."""

from __future__ import annotations

import asyncio

from probe.model.clock import now_us
from probe.model.engines import ENGINES
from probe.runner.trial.client_limits import refresh_ms
from probe.runner.trial.state import TrialState
from probe.verdict.instances import separate
from probe.verdict.patience import PATIENCE_FACTOR
from probe.verdict.phases import find_ticking
from probe.verdict.timeline import EventIndex

ROUNDS = 3
"""A tick that came while the fault waited may have been early or late; then it waits again, but not for ever."""
NEAR = 0.05
"""Share of the interval by which the fault may come after its phase."""

FRESH = 0.1
"""Share of the refresh interval within which the fault comes where clients are observed to the end: nearly the whole
interval is still to come."""
LONGEST_FRESH_MS = 60_000
"""Metadata of a longer interval is that fresh after any warm-up; otherwise its next refresh would take too long."""


async def await_fresh(state: TrialState) -> None:
    """Wait until the client's metadata is new, where it is observed to the end and its brokers hit it alone."""
    every_ms = refresh_ms(state.recorder.settings)
    alone = ENGINES[state.item.cell.engine].waits_for_phase
    if not state.header.limits.to_the_end or not alone or not 0 < every_ms <= LONGEST_FRESH_MS:
        return
    await state.recorder.until(
        lambda now: now.ending is not None or now_us() - now.informed_at < FRESH * every_ms * 1000,
        PATIENCE_FACTOR * every_ms / 1000,
    )


async def await_phase(state: TrialState) -> None:
    """Wait until the client's interval has reached the phase of the trial; return at once where it has none."""
    for _ in range(ROUNDS):
        left_s = phase_in_s(state, now_us())
        if not left_s:
            return
        await asyncio.sleep(left_s)


def phase_in_s(state: TrialState, at: int) -> float:
    """Return the seconds from a time until the phase of the trial; 0 if it is that phase, or there is none."""
    phase = state.header.phase
    if phase is None:
        return 0.0
    ours, _, _ = separate(state.history())
    found = find_ticking(state.header, EventIndex(ours), at)
    if found is None:
        return 0.0
    left = (phase - found.share(at)) % 1
    return 0.0 if left >= 1 - NEAR else left * found.every_us / 1e6
