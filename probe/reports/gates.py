"""Gates: which cells of a run (or of two) make a command end with 1. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from probe.cells.aggregate import SettledCell
from probe.cells.trends import Step
from probe.errors import ProbeError
from probe.model import Cell, Outcome
from probe.model.grades import Trend

NONCONFORMING, WORSE = "nonconforming", "worse"


class Result(StrEnum):
    """What a cell is to a pipeline."""

    PASSED = "passed"
    """It conforms, or nothing is asked of the client."""
    FAILED = "failed"
    """It does not conform, in one trial at least."""
    ERROR = "error"
    """The harness failed: nobody knows."""
    SKIPPED = "skipped"
    """The cell says nothing about its client: unsupported, not run, not provoked, still waiting."""


def result(settled: SettledCell) -> Result:
    """Say what a settled cell is to a pipeline."""
    if settled.outcome is Outcome.BROKEN:
        return Result.ERROR
    if any(one.conforms is False for one in settled.verdicts):
        return Result.FAILED
    return Result.PASSED if settled.judged else Result.SKIPPED


@dataclass(frozen=True, slots=True)
class Gate:
    """What must not be."""

    outcomes: frozenset[Outcome] = frozenset()
    nonconforming: bool = False
    worse: bool = False
    """Than the matrix before (`run`), or than the earlier run (`diff`)."""

    def __bool__(self) -> bool:
        return bool(self.outcomes) or self.nonconforming or self.worse

    def __str__(self) -> str:
        words = [NONCONFORMING] * self.nonconforming + [WORSE] * self.worse
        return ", ".join([*sorted(self.outcomes), *words])

    def stops(self, settled: SettledCell, before: SettledCell | None = None) -> bool:
        """Say whether a cell makes the gate fail; `before` = what was known of it."""
        seen = {settled.outcome, *(one.outcome for one in settled.verdicts)}
        if seen & self.outcomes or (self.nonconforming and result(settled) is Result.FAILED):
            return True
        return self.worse and before is not None and Step(before, settled).trend is Trend.WORSE


NO_GATE = Gate()


def read_gate(text: str) -> Gate:
    """Read `--fail-on`: outcomes, `nonconforming`, `worse`, comma separated. ProbeError names what is none of them."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    known = {*Outcome, NONCONFORMING, WORSE}
    for word in words:
        if word not in known:
            raise ProbeError(
                f"--fail-on {word}: no outcome; known are {', '.join(Outcome)}, and {NONCONFORMING}, {WORSE}"
            )
    outcomes = frozenset(Outcome(word) for word in words if word not in {NONCONFORMING, WORSE})
    return Gate(outcomes, NONCONFORMING in words, WORSE in words)


def stopped(
    gate: Gate, cells: Mapping[Cell, SettledCell], before: Mapping[Cell, SettledCell] | None
) -> list[SettledCell]:
    """Return the cells at which the gate fails."""
    known = before or {}
    return [one for cell, one in cells.items() if gate.stops(one, known.get(cell))]


def steps(before: Mapping[Cell, SettledCell], after: Iterable[SettledCell]) -> list[Step]:
    """Pair what is known of cells with what was known; those that nobody asked before have no pair."""
    return [Step(before[one.cell], one) for one in after if one.cell in before]
