"""The plan of a year: its releases, the numbers of its programs, and what is due in each round. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DAYS = 365.0
DAY_S = 86_400
FAMILY = "franz-go"
"""Its drivers in Go are quick to build and to start."""
AT_FIRST = 8
"""Releases that are there when the year begins."""
GROWS_FOR = 0.05
"""Share of the year in which the other releases appear, at equal distances. Nothing is added afterwards."""
RETENTION_DAYS = 10
JUDGE_EVERY = 0.2
"""Share of the year after which stored trials are judged again, since an older program ran one round in between."""
CONDITIONS_EVERY = 0.25
"""Share of the year after which the conditions have the next number."""
VISIT_EVERY = 50
EXACT = 1e-9
"""A share that is exact on paper may be a little less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRound:
    """A round of the schedule."""

    number: int
    day: float
    """Days since the year began."""
    newest: str
    """The newest release that there is."""
    has_older_rules: bool
    """Whether a program of older rules runs the trials."""
    conditions_later: int
    """Steps by which the number of the conditions is later than at the beginning."""
    publishes: bool
    """Whether the run builds matrix and site, and old runs are removed after it."""
    judges: bool
    """Whether stored trials are judged again before it."""
    visits: bool
    """Whether a browser opens the site."""


@dataclass(frozen=True, slots=True)
class Year:
    """A year in a number of rounds."""

    rounds: int
    releases: Sequence[str]
    """All releases, in order of appearance."""
    publish_every: int = 1

    def planned(self, number: int) -> PlannedRound:
        """Return what happens in a round, counted from 0."""
        share = number / self.rounds
        publishes = (number + 1) % self.publish_every == 0 or number + 1 == self.rounds
        later = len(self.releases) - AT_FIRST
        there = AT_FIRST + min(later, int(later * share / GROWS_FOR + EXACT))
        return PlannedRound(
            number=number,
            day=DAYS * share,
            newest=self.releases[there - 1],
            has_older_rules=self._period(number, JUDGE_EVERY) != self._period(number + 1, JUDGE_EVERY),
            conditions_later=self._period(number, CONDITIONS_EVERY),
            publishes=publishes,
            judges=publishes and self._period(number, JUDGE_EVERY) != self._period(self._last(number), JUDGE_EVERY),
            visits=publishes and number // VISIT_EVERY != self._last(number) // VISIT_EVERY,
        )

    @property
    def settled_from(self) -> int:
        """The first round from which nothing is added, and what was added before has passed its retention.

        A quarter of it more is time in which the runs go round all cells.
        """
        return round(self.rounds * (GROWS_FOR + 1.25 * RETENTION_DAYS / DAYS))

    def _last(self, number: int) -> int:
        """Return the last round before this one that published, 0 if there was none."""
        return max(0, number - number % self.publish_every - 1)

    def _period(self, number: int, share: float) -> int:
        return int(number / self.rounds / share + EXACT)
