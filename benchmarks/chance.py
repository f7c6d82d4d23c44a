"""The share of runs that find the worst outcome of a cell, and their trials, by the rule for further trials.

A simulated client has a bad outcome in a share of its trials, independently; the others are good. Every cell is tried
by the rule as the runner follows it, with budget enough. The same seed gives the same figures.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.model import Expectation, Facts, Outcome, Reaction, Symptom, Target, Verdict
from probe.planning.repeats import doubt, wanted

CELLS = 20_000
"""Simulated cells per line."""
SHARES = (0.05, 0.3, 0.5)
"""Shares of trials with the bad outcome."""
SEED = 39
PLAY = Expectation(kind=Symptom.ANSWER, expects=Reaction.DISCOVER, target=Target.LEADER)
NEAR = Facts(announced_hit_ms=0.0)
GOOD = Outcome.REFRESHES
BAD = Verdict(outcome=Outcome.STORMS, reason="", conforms=False)


@dataclass(frozen=True, slots=True)
class Start:
    """Facts about a cell that are known when its trials begin."""

    text: str
    trials: int = 1
    near: bool = False
    known: tuple[Outcome, ...] = ()


STARTS = (
    Start("nothing in doubt, 1 trial"),
    Start("nothing in doubt, `--trials 3`", trials=3),
    Start("near a bound", near=True),
    Start("the matrix has both outcomes", known=(GOOD, BAD.outcome)),
)


@dataclass(frozen=True, slots=True)
class Found:
    """The result for one kind of cells."""

    start: Start
    share: float
    """Share of bad trials."""
    found: float
    """Share of cells whose worst outcome is the bad one."""
    trials: float
    """Mean number of trials."""


def simulate(cells: int = CELLS, seed: int = SEED) -> Iterator[Found]:
    """Yield the result of every kind of cells for every share."""
    for start in STARTS:
        for share in SHARES:
            rng = random.Random(seed)  # noqa: S311  # a simulation, repeatable by its seed
            tried = [_tried(rng, start, share) for _ in range(cells)]
            yield Found(start, share, sum(bad > 0 for bad, _ in tried) / cells, sum(map(sum, tried)) / cells)


def _tried(rng: random.Random, start: Start, share: float) -> tuple[int, int]:
    """Return the number of bad and of good trials of one cell."""
    bad = good = 0
    more = start.trials
    while more:
        found = sum(rng.random() < share for _ in range(more))
        bad, good = bad + found, good + more - found
        more = _further(start, bad, good)
    return bad, good


@cache
def _further(start: Start, bad: int, good: int) -> int:
    """Return how many trials follow. The order of those before does not matter (`tests/unit/test_repeats.py`)."""
    one = Verdict(outcome=GOOD, reason="", conforms=True, facts=NEAR if start.near else Facts())
    trials = [BAD] * bad + [one] * good
    return wanted(trials) if doubt(trials, PLAY, start.known) is not None else 0


def table() -> str:
    """Return the results as the table of docs/verdicts.md."""
    found = {(one.start, one.share): one for one in simulate()}
    head = ["| at the start |", *(f" {share:.0%} |".replace("%", " %") for share in SHARES)]
    lines = ["".join(head), f"|{'---|' * (1 + len(SHARES))}"]
    for start in STARTS:
        each = (found[start, share] for share in SHARES)
        cells = (f" {100 * one.found:.0f} % with {one.trials:.1f} trials |" for one in each)
        lines.append(f"| {start.text} |{''.join(cells)}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
