"""The outcomes of a cell's trials by phase: the moment of the client's own interval at which the fault came. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from probe.model import Outcome, PhaseClock, Verdict
from probe.model.grades import worst_trial
from probe.model.outcomes import SAY_NOTHING

CERTAIN = 0.05
"""An outcome depends on the phase if chance alone would separate the trials so well in at most this share of cells."""
INTERVALS = {
    PhaseClock.REFRESH: "periodic refresh of its metadata",
    PhaseClock.HEARTBEAT: "heartbeat",
    PhaseClock.COMMIT: "commit",
    PhaseClock.OPERATION: "operation",
}
"""The clocks in words: the client's own ..."""


@dataclass(frozen=True, slots=True)
class PhaseTrial:
    """A trial with its phase."""

    number: int
    phase: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Stretch:
    """Trials at neighbouring phases with the same outcome. `first` is above `last` where it goes over the end."""

    outcome: Outcome
    first: float
    last: float
    trials: int


@dataclass(frozen=True, slots=True)
class ByPhase:
    """The trials of a cell by phase."""

    clock: PhaseClock
    trials: tuple[PhaseTrial, ...]
    """By phase. Those that say nothing about the client are left out."""

    @property
    def interval(self) -> str:
        """Return in words what the client does at the interval."""
        return INTERVALS[self.clock]

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Return the stretches, by their first phase."""
        found = [list(group) for _, group in groupby(self.trials, key=lambda one: one.verdict.outcome)]
        if len(found) > 1 and found[0][0].verdict.outcome is found[-1][0].verdict.outcome:
            found = [*found[1:-1], found[-1] + found[0]]  # an interval ends where the next one begins
        return tuple(Stretch(part[0].verdict.outcome, part[0].phase, part[-1].phase, len(part)) for part in found)

    @property
    def chance(self) -> float:
        """Return how often chance alone would separate the worst outcome from the others at least as well, 0 to 1.

        It is the runs test on a circle: of all orders of the trials, those that have at most as many stretches.
        """
        worst = worst_trial([one.verdict for one in self.trials]).outcome
        bad = [one.verdict.outcome is worst for one in self.trials]
        hits, others = sum(bad), len(bad) - sum(bad)
        if not others:
            return 1.0
        changes = sum(one and not before for before, one in zip((bad[-1], *bad), bad, strict=False))
        orders = sum(_orders(hits, others, parts) for parts in range(1, changes + 1))
        return min(1.0, orders / math.comb(len(bad), hits))

    @property
    def decides(self) -> bool:
        """Return whether the outcome depends on the phase."""
        return self.chance <= CERTAIN


def by_phase(trials: Iterable[tuple[int, Verdict]]) -> ByPhase | None:
    """Return the trials (number, verdict) of a cell by phase; None unless two of them have one of the same clock."""
    seen = [(number, one) for number, one in trials if one.outcome not in SAY_NOTHING and one.facts.phase is not None]
    if not seen:
        return None
    clock, count = Counter(one.facts.phase_clock for _, one in seen).most_common(1)[0]
    return None if count < 2 else ByPhase(clock, _sorted(seen, clock))


def _sorted(seen: Sequence[tuple[int, Verdict]], clock: PhaseClock) -> tuple[PhaseTrial, ...]:
    found = (PhaseTrial(number, one.facts.phase or 0.0, one) for number, one in seen if one.facts.phase_clock is clock)
    return tuple(sorted(found, key=lambda one: one.phase))


def _orders(hits: int, others: int, parts: int) -> int:
    """Return the orders on a circle in which the hits lie in this number of stretches."""
    return (hits + others) * math.comb(hits - 1, parts - 1) * math.comb(others - 1, parts - 1) // parts
