"""Bounds that a trial came near: another trial may have another outcome (docs/verdicts.md#near-a-bound).

Pure, from facts and the scenario's expectation. Facts of older rules lack what is needed; such trials are near nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from probe.model import Expectation, Facts, Outcome, Reaction, Rescuer, StormBound, Verdict
from probe.model.outcomes import SAY_NOTHING
from probe.verdict.table import RULES

NEAR_PROMPT = 0.1
"""Distance from what is prompt, as a share of it."""
NEAR_DISCOVERIES = 1
"""Distance from a storm bound, in discoveries."""
NEAR_ANNOUNCEMENT_MS = 20
"""Time between a hit and the announcement of the new target."""
OF_DISCOVERIES = {StormBound.IDLE, StormBound.ASKED}
STORM = next(rule for rule in RULES if rule.outcome is Outcome.STORMS)
AFTER_STORM = frozenset(rule.outcome for rule in RULES if rule.row > STORM.row)
"""Outcomes that the table gives only after it found no storm."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """A bound that decides outcomes, and what is near it."""

    bound: str
    """The bound, as docs/verdicts.md names it."""
    near: str
    """The bound that is near, as docs/verdicts.md says it."""
    decides: Callable[[Verdict, Expectation], bool]
    """Whether the bound decided the outcome."""
    holds: Callable[[Facts, Expectation], bool]
    """Whether the facts are near it."""


def _prompt_decides(verdict: Verdict, play: Expectation) -> bool:
    """Return whether a recovery on the other side of prompt would have had another outcome."""
    if verdict.outcome not in AFTER_STORM:
        return False
    if play.expects is Reaction.RETRY:
        return not verdict.facts.errors_surfaced
    late_anyway = verdict.outcome is Outcome.LATE and verdict.facts.rescued_by is not Rescuer.ITSELF
    return play.expects is Reaction.DISCOVER and not late_anyway and verdict.outcome is not Outcome.CLEAN


def _prompt(facts: Facts, play: Expectation) -> bool:
    own_ms = facts.own_recovery_ms
    return own_ms is not None and abs(own_ms - play.prompt_ms) <= NEAR_PROMPT * play.prompt_ms


def _storm_decides(verdict: Verdict, _: Expectation) -> bool:
    return verdict.outcome is STORM.outcome or verdict.outcome in AFTER_STORM


def _storm(facts: Facts, _: Expectation) -> bool:
    """Return whether the number of discoveries is near a bound, and no other bound was exceeded."""
    over = facts.discoveries_over
    return over is not None and abs(over) <= NEAR_DISCOVERIES and not set(facts.storm) - OF_DISCOVERIES


def _announcement_decides(verdict: Verdict, play: Expectation) -> bool:
    return play.expects is Reaction.DISCOVER and verdict.outcome not in SAY_NOTHING


def _announcement(facts: Facts, _: Expectation) -> bool:
    return facts.announced_hit_ms is not None and abs(facts.announced_hit_ms) <= NEAR_ANNOUNCEMENT_MS


NEAR: tuple[Nearness, ...] = (
    Nearness(
        "prompt",
        f"recovery, without what brokers kept the client waiting, within {100 * NEAR_PROMPT:.0f} % of it",
        _prompt_decides,
        _prompt,
    ),
    Nearness("storm", f"discoveries within {NEAR_DISCOVERIES} of bound `a` or `b`", _storm_decides, _storm),
    Nearness(
        "announcement",
        f"the first or the last hit within {NEAR_ANNOUNCEMENT_MS} ms of it, if it could have been on its other side",
        _announcement_decides,
        _announcement,
    ),
)


def near_bounds(verdict: Verdict, play: Expectation) -> tuple[str, ...]:
    """Return the bounds that decided the outcome of a trial and that its facts are near."""
    return tuple(one.bound for one in NEAR if one.decides(verdict, play) and one.holds(verdict.facts, play))
