"""Further trials of cells in which chance may decide (docs/verdicts.md#further-trials). Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from probe.model import Expectation, Outcome, Verdict
from probe.model.engines import ENGINES
from probe.model.grades import worst_trial
from probe.model.intervals import Z_90, wilson
from probe.model.outcomes import UNOBSERVED
from probe.planning.cohorts import alone_s, estimate_s
from probe.planning.phases import DECIDING
from probe.planning.plan import Plan, Planned, trial_s
from probe.verdict import near_bounds

MOST_TRIALS = 20
"""Trials from which a cell gets no further ones."""
WIDTH = 0.3
"""A cell has trials enough once the 90 % interval of the share of its worst outcome is narrower than this."""
DEFAULT_SHARE = 0.1
"""Share of the run that further trials may take by default."""
LEAST_TRIALS = 12
"""Further trials that fit into the default budget of any run: enough for one cell."""


class Doubt(StrEnum):
    """Why another trial of a cell may have another outcome."""

    DIFFERS = "differs"
    """Its trials have different outcomes."""
    NEAR = "near"
    """A trial came near the bound that decided its outcome."""
    PHASE = "phase"
    """It has one trial, and a fault at another moment of the client's own interval may meet it otherwise."""


BUDGET_SHARES = {Doubt.DIFFERS: 1.0, Doubt.NEAR: 0.5, Doubt.PHASE: 0.25}
"""Share of the budget up to which a cell gets further trials. What is left serves cells whose trials differ: that
chance decides there is known, and not only possible."""
PHASES = 2
"""Trials at different phases, after which a cell whose outcome does not depend on the phase needs no more."""


def doubt(
    trials: Sequence[Verdict], play: Expectation, known: Collection[Outcome] = (), *, phases: bool = False
) -> Doubt | None:
    """Return why a cell may have another outcome; None if nothing says so.

    `trials` are those of this run, `known` the outcomes in the matrix so far, from which they may differ, too. `phases`
    says that their phases were chosen.
    """
    seen = observed(trials)
    if not seen:
        return None
    if len({one.outcome for one in seen}.union(known)) > 1:
        return Doubt.DIFFERS
    if any(near_bounds(one, play) for one in seen):
        return Doubt.NEAR
    return Doubt.PHASE if phases and len(seen) < PHASES and seen[0].facts.phase_clock in DECIDING else None


def wanted(trials: Sequence[Verdict], why: Doubt = Doubt.DIFFERS) -> int:
    """Return how many further trials to start now: the fewest after which a doubtful cell may have enough.

    The outcomes of these decide whether more are needed.
    """
    seen = observed(trials)
    if why is Doubt.PHASE:
        return max(0, PHASES - len(seen))
    worst = worst_trial(seen).outcome
    hits, count = sum(one.outcome is worst for one in seen), len(seen)
    left = max(0, MOST_TRIALS - count)
    if enough(hits, count):
        return 0
    return next((more for more in range(1, left) if _may_suffice(hits, count, more)), left)


def enough(hits: int, trials: int) -> bool:
    """Return whether the share of the worst outcome, `hits` of `trials`, is known well enough."""
    low, high = wilson(hits, trials, Z_90, math.sqrt)
    return bool(high - low < WIDTH)


def observed(trials: Sequence[Verdict]) -> list[Verdict]:
    """Return the trials that observed a client: a failure of the harness is no chance of the client."""
    return [one for one in trials if one.outcome not in UNOBSERVED]


def _may_suffice(hits: int, trials: int, more: int) -> bool:
    """Return whether the share may be known well enough: the interval is narrowest if all further trials agree."""
    return enough(hits, trials + more) or enough(hits + more, trials + more)


@dataclass(frozen=True, slots=True)
class RepeatBudget:
    """The time that further trials may take."""

    trials_s: float
    """Seconds, added up over the trials."""
    at_once: float
    """Trials that run at once, on average: by so much the run becomes less long than the trials take."""

    def cost_s(self, item: Planned, watch_ms: int | None) -> float:
        """Return the part of the budget that a further trial takes, in seconds, added up over the trials.

        On real brokers it is mostly a cohort of its own, with a cluster that all others would have shared.
        """
        if ENGINES[item.cell.engine].cohorts:
            return alone_s(item, watch_ms) * self.at_once
        return trial_s(item, watch_ms)

    def run_s(self, trials_s: float) -> int:
        """Return the seconds that trials of this length add to the run."""
        return math.ceil(trials_s / self.at_once)


def repeat_budget(plan: Plan, asked_s: float | None, jobs: int, watch_ms: int | None) -> RepeatBudget:
    """Return the budget for the further trials of a plan: `asked_s` seconds of the run; None = the default share."""
    whole = sum(plan.spans_s(watch_ms))
    if not whole:
        return RepeatBudget(0.0, 1.0)
    at_once = whole / estimate_s(plan, jobs, watch_ms)
    if asked_s is not None:
        return RepeatBudget(asked_s * at_once, at_once)
    without = RepeatBudget(0.0, at_once)
    usual = statistics.fmean(without.cost_s(item, watch_ms) for item in plan.cells)
    return replace(without, trials_s=max(whole * DEFAULT_SHARE, LEAST_TRIALS * usual))
