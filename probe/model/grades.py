"""How bad an outcome is, and what became of a question that was answered twice: better, worse, as bad? Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from probe.model.cell import Outcome

BADNESS: Mapping[Outcome, int] = {
    Outcome.VIOLATES: 5,
    Outcome.FATAL: 5,
    Outcome.STUCK: 4,
    Outcome.STORMS: 3,
    Outcome.LATE: 2,
    Outcome.SURFACES: 1,
}
"""How bad an outcome is that does not conform; whatever conforms is 0, any other that does not is 1."""

UNJUDGED = frozenset({Outcome.WAITING, Outcome.BROKEN, Outcome.NOT_RUN, Outcome.NOT_PROVOKED, Outcome.UNSUPPORTED})
"""Outcomes that say nothing about the client."""


class Trend(StrEnum):
    """What became of a question."""

    WORSE = "WORSE"
    BETTER = "better"
    BAD = "stays bad"
    DIFFERS = "differs"
    """Another outcome, in an informative cell: neither better nor worse."""
    UNCLEAR = "unclear"
    """One side says nothing about the client: unsupported, not provoked, broken, still waiting."""
    GOOD = "stays good"
    SAME = "same"
    """The same outcome in an informative cell."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a settled cell stands."""

    outcome: Outcome
    badness: int | None
    """0 = it conforms; None where nothing is asked of the client. Where trials disagree the worst of them counts."""

    @property
    def judged(self) -> bool:
        """Whether the outcome says anything about the client."""
        return self.outcome not in UNJUDGED


def badness(outcome: Outcome, conforms: bool | None) -> int | None:
    """Return how bad a trial, or a cell whose trials agree, is; None where nothing is asked of the client."""
    if conforms is None:
        return None
    return 0 if conforms else BADNESS.get(outcome, 1)


def trend(before: Standing, after: Standing) -> Trend:
    """Compare two answers to one question by badness."""
    if not (before.judged and after.judged):
        return Trend.UNCLEAR
    if before.badness is None or after.badness is None:
        return Trend.SAME if before.outcome is after.outcome else Trend.DIFFERS
    if before.badness == after.badness:
        return Trend.BAD if before.badness else Trend.GOOD
    return Trend.BETTER if after.badness < before.badness else Trend.WORSE
