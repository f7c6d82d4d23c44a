"""Grade outcomes by severity, and compare two answers to one question: better, worse or as bad. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from probe.model.cell import Outcome
from probe.model.outcomes import OUTCOMES, RANKS, SAY_NOTHING


class Trend(StrEnum):
    """The difference between two answers to one question."""

    WORSE = "WORSE"
    BETTER = "better"
    BAD = "stays bad"
    DIFFERS = "differs"
    """Another outcome in an informative cell: neither better nor worse."""
    UNCLEAR = "unclear"
    """One side says nothing about the client (unsupported, not provoked, broken, still waiting), or the two were
    measured under conditions that cannot be compared."""
    GOOD = "stays good"
    SAME = "same"
    """The same outcome in an informative cell."""


class Judged(Protocol):
    """A value with an outcome and a judgement, such as a verdict."""

    @property
    def outcome(self) -> Outcome:
        """The outcome."""

    @property
    def conforms(self) -> bool | None:
        """Whether the outcome conforms. None where it is not judged."""


_Judged = TypeVar("_Judged", bound=Judged)


@dataclass(frozen=True, slots=True)
class Grade:
    """An outcome, and how bad it is."""

    outcome: Outcome
    severity: int | None
    """0 = it conforms. None where nothing is required of the client."""

    @property
    def judged(self) -> bool:
        """Whether the outcome says anything about the client."""
        return self.outcome not in SAY_NOTHING


def grade_of(outcome: Outcome, conforms: bool | None) -> Grade:
    """Grade an outcome; for a cell that of its worst trial."""
    if conforms is None:
        return Grade(outcome, None)
    return Grade(outcome, 0 if conforms else max(1, OUTCOMES[outcome].severity))


def worst_trial(trials: Iterable[_Judged]) -> _Judged:
    """Return the worst trial, the first of equally bad ones. Raises ValueError if there is none."""
    return max(trials, key=lambda one: RANKS[one.outcome, one.conforms])


def grade(item: Judged) -> Grade:
    """Grade a trial."""
    return grade_of(item.outcome, item.conforms)


def trend(before: Grade, after: Grade) -> Trend:
    """Compare two answers to one question by severity."""
    if not (before.judged and after.judged):
        return Trend.UNCLEAR
    if before.severity is None or after.severity is None:
        return Trend.SAME if before.outcome is after.outcome else Trend.DIFFERS
    if before.severity == after.severity:
        return Trend.BAD if before.severity else Trend.GOOD
    return Trend.BETTER if after.severity < before.severity else Trend.WORSE
