"""Wait for the phase of a trial: the moment of the client's own interval at which its fault comes."""

from __future__ import annotations

import asyncio

from probe.model.clock import now_us
from probe.runner.trial.state import TrialState
from probe.verdict.instances import separate
from probe.verdict.phases import find_ticking
from probe.verdict.timeline import EventIndex

ROUNDS = 3
"""A tick that came while the fault waited may have been early or late; then it waits again, but not for ever."""
NEAR = 0.05
"""Share of the interval by which the fault may come after its phase."""


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
