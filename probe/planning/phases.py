"""The phase of a trial: the moment of the client's own interval at which its fault comes. Pure.

It follows from the question of the cell and the trial's number alone, so that trial n of two runs, of two versions of a
library or of two release lines is the same question (docs/verdicts.md#phases).
"""

from __future__ import annotations

import hashlib
import math

from probe.model import Cell, PhaseClock
from probe.model.engines import ENGINES
from probe.planning.plan import Planned

GOLDEN = (math.sqrt(5) - 1) / 2
"""Steps of this size on a circle are spread evenly, however many there are (the golden ratio)."""
DIGITS = 3
DECIDING = frozenset({PhaseClock.REFRESH, PhaseClock.HEARTBEAT, PhaseClock.COMMIT})
"""The least interval that may decide a trial by its phase: a client can recover, or give up, between two ticks."""


def phase_of(cell: Cell, trial: int) -> float:
    """Return the phase of a trial of a cell, from 0 to below 1: the same for every version, profile and line."""
    words = (cell.family, cell.role, cell.scenario, cell.engine, cell.workload)
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=8).digest()
    first = int.from_bytes(digest, "big") / 2**64
    return round((first + trial * GOLDEN) % 1, DIGITS) % 1


def waits_for_phase(item: Planned) -> bool:
    """Return whether the fault of a cell's trials waits for their phase.

    On real brokers it does not, since one fault is that of a whole cohort; nor where the judged client starts after the
    fault, or there is none.
    """
    part = item.variant
    late = part.at_start or part.second_instance
    return ENGINES[item.cell.engine].waits_for_phase and not item.is_control and not late
