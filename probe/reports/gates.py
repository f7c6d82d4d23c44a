"""Gates: cells of a run (or a difference of two runs) for which a command exits with 1. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Answer
from probe.cells.comparison_steps import of_two_runs
from probe.errors import ProbeError
from probe.model import Cell, Outcome

NONCONFORMING, WORSE = "nonconforming", "worse"


class Result(StrEnum):
    """The result of a cell in a pipeline."""

    PASSED = "passed"
    """The cell conforms, or the scenario requires nothing of the client."""
    FAILED = "failed"
    """The cell does not conform in at least one trial."""
    ERROR = "error"
    """The harness failed: the result is not known."""
    SKIPPED = "skipped"
    """The outcome is not about the client: unsupported, not run, not provoked, still waiting."""


def result(settled: SettledCell) -> Result:
    """Return the result of a settled cell in a pipeline."""
    if settled.outcome is Outcome.BROKEN:
        return Result.ERROR
    if settled.conforms is False:
        return Result.FAILED
    return Result.PASSED if settled.judged and not settled.refusal else Result.SKIPPED


@dataclass(frozen=True, slots=True)
class Gate:
    """The conditions under which a command fails."""

    outcomes: frozenset[Outcome] = frozenset()
    nonconforming: bool = False
    worse: bool = False
    """Shown worse than the earlier matrix (`run`) or the earlier run (`diff`), as docs/comparisons.md says."""

    def __bool__(self) -> bool:
        return bool(self.outcomes) or self.nonconforming or self.worse

    def __str__(self) -> str:
        words = [NONCONFORMING] * self.nonconforming + [WORSE] * self.worse
        return ", ".join([*sorted(self.outcomes), *words])

    def stops(self, settled: SettledCell) -> bool:
        """Return whether the gate fails at a cell, whatever it was before."""
        seen = {settled.outcome, *(one.outcome for one in settled.verdicts)}
        return bool(seen & self.outcomes) or (self.nonconforming and result(settled) is Result.FAILED)


NO_GATE = Gate()


def read_gate(text: str) -> Gate:
    """Read `--fail-on`: outcomes, `nonconforming`, `worse`, separated by commas. ProbeError names an unknown word."""
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
    known = of_two_runs(before or {}, cells) if gate.worse else []
    worse = {one.step.after.cell for one in known if one.answer is Answer.WORSE}
    return [one for cell, one in cells.items() if cell in worse or gate.stops(one)]
