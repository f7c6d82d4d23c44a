"""Grade outcomes by severity, and compare two answers to one question: better, worse or as bad. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from probe.model.cell import Outcome
from probe.model.outcomes import OUTCOMES, SAY_NOTHING


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
    """A value with an outcome and a judgement: a verdict, a row of the matrix, a part of a cell's history."""

    @property
    def outcome(self) -> Outcome:
        """The outcome."""

    @property
    def conforms(self) -> bool | None:
        """Whether the outcome conforms. None where it is not judged."""


@dataclass(frozen=True, slots=True)
class Grade:
    """An outcome, and how bad it is."""

    outcome: Outcome
    severity: int | None
    """0 = it conforms. None where nothing is required of the client. Where trials disagree the worst one counts."""

    @property
    def judged(self) -> bool:
        """Whether the outcome says anything about the client."""
        return self.outcome not in SAY_NOTHING


def severity(item: Judged) -> int | None:
    """Return how bad a trial, or a cell whose trials agree, is. None where nothing is required of the client."""
    if item.conforms is None:
        return None
    return 0 if item.conforms else max(1, OUTCOMES[item.outcome].severity)


def worst(trials: Iterable[Judged]) -> int | None:
    """Return the severity of the worst trial. None where no trial requires anything of the client."""
    return max((bad for one in trials if (bad := severity(one)) is not None), default=None)


def grade(item: Judged) -> Grade:
    """Grade a trial, or a cell whose trials agree."""
    return Grade(item.outcome, severity(item))


def trend(before: Grade, after: Grade) -> Trend:
    """Compare two answers to one question by severity."""
    if not (before.judged and after.judged):
        return Trend.UNCLEAR
    if before.severity is None or after.severity is None:
        return Trend.SAME if before.outcome is after.outcome else Trend.DIFFERS
    if before.severity == after.severity:
        return Trend.BAD if before.severity else Trend.GOOD
    return Trend.BETTER if after.severity < before.severity else Trend.WORSE
