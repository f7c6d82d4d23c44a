"""Look-ups of `probe advise`, and the trials that it runs to decide them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import EQUAL, Answer, Compared
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.harm import harms
from probe.cells.known_directions import NO_DIRECTION, Directions
from probe.cells.level_changes import LevelChange
from probe.cli.wiring.compared_levels import changed_levels
from probe.cli.wiring.comparisons import Change, Filter, compared, needed, stored_cells
from probe.cli.wiring.decisive_trials import decisive
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.known_sides import known_directions
from probe.model import Cell


@dataclass(frozen=True, slots=True)
class Source:
    """The sides of a comparison, and the places of their trials."""

    change: Change
    wanted: Filter
    evidence: Sequence[str] | None
    results: str
    max_age: int

    def stored(self) -> dict[Cell, SettledCell]:
        """Return what is stored of the clients."""
        with open_evidence(self.evidence, self.results, self.max_age) as found:
            return stored_cells(found, self.change, self.wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Stored trials, and their answer."""

    stored: dict[Cell, SettledCell]
    compared: Sequence[Compared]
    alone: int
    """Cells that are stored for one side only."""
    asked: Asked
    levels: Sequence[LevelChange] = ()
    """Roles whose level differs."""
    known: Directions = NO_DIRECTION
    """Direction that look-ups of both sides give the change."""

    @property
    def undecided(self) -> list[Compared]:
        """Return the questions that fresh trials may decide."""
        return [one for one in self.compared if one.needs]


def look(source: Source, trials: int, *, equal: bool) -> Found:
    """Compare what is stored."""
    with open_evidence(source.evidence, source.results, source.max_age) as evidence:
        stored = stored_cells(evidence, source.change, source.wanted)
        steps, alone = compared(stored, source.change, source.wanted)
        steps = decisive(steps, evidence)
        versions = source.change.column == "version"
        levels = changed_levels(steps, evidence, source.wanted.line) if versions else []
        known = known_directions(evidence, source.change, source.wanted)
    asked = Asked.of(stored.values(), trials=trials, equal=equal)
    said = compared_steps(steps, asked)
    return Found(stored=stored, compared=said, alone=len(alone), asked=asked, levels=levels, known=known)


def decided(source: Source, trials: int, jobs: int | None, *, equal: bool) -> Found:
    """Run what is missing, then both sides of what differs, and compare."""
    from probe.cli.wiring.fresh_trials import decide  # noqa: PLC0415  # loads what runs need
    from probe.cli.wiring.missing_cells import fill_in  # noqa: PLC0415  # loads what runs need

    fill_in(source.results, jobs, source.stored, lambda held: needed(held, source.change, source.wanted))
    found = look(source, trials, equal=equal)
    open_ones = [*found.undecided, *(_asked_of(one) for one in found.compared if equal and _may_be_equal(one))]
    if not open_ones:
        return found
    decide(open_ones, found.asked, source.results, jobs)
    return look(source, trials, equal=equal)


def _may_be_equal(one: Compared) -> bool:
    return one.answer is Answer.SAME and one.trials < EQUAL and bool(harms(one.step.after))


def _asked_of(one: Compared) -> Compared:
    return replace(one, needs=EQUAL)
