"""The trials of a cell by phase, as the page of the cell shows them: a picture, sentences and a table (pure).

The client's interval goes from left to right; each outcome has a row, and each trial is a mark with the outcome's
shape, as in the pictures of sweeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from probe.cells.phases import ByPhase, by_phase
from probe.model.outcomes import OUTCOMES
from probe.site.pages.sweep_picture import DRAWN, Label, Mark, mark_style
from probe.site.timeline.trial_view import TrialView

WIDTH, LEFT, RIGHT = 480, 96, 14
ROW, TOP, AXIS = 24, 6, 40
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_STRETCHES = 6
"""Stretches that a sentence names; more of them are noise, and the table has them all."""


@dataclass(frozen=True, slots=True)
class PhasePicture:
    """Everything that the template draws."""

    width: int
    height: int
    left: int
    desc: str
    ticks: tuple[Label, ...]
    rows: tuple[Label, ...]
    """The outcomes, the best first."""
    marks: tuple[Mark, ...]
    axis: Label


@dataclass(frozen=True, slots=True)
class ShownPhases:
    """The section of a page."""

    found: ByPhase
    says: str
    picture: PhasePicture


def shown_phases(trials: Iterable[TrialView]) -> ShownPhases | None:
    """Return the section for the trials of a cell; None unless two of them have a phase."""
    found = by_phase((one.number, one.verdict) for one in trials if not one.shortened)
    return None if found is None else ShownPhases(found, says(found), picture(found))


def says(found: ByPhase) -> str:
    """Return what the trials say in words."""
    if len({one.verdict.outcome for one in found.trials}) == 1:
        return f"All {len(found.trials)} trials have the same outcome."
    stretches = found.stretches
    parts = [f"{OUTCOMES[one.outcome].label} {_span(one.first, one.last, one.trials)}" for one in stretches]
    where = f" In the order of their phases: {', '.join(parts)}." if len(parts) <= MOST_STRETCHES else ""
    often = f"chance alone would separate the outcomes so well in {_percent(found.chance)} of cells"
    return f"The outcome {'depends' if found.decides else 'is not shown to depend'} on the phase: {often}.{where}"


def _span(first: float, last: float, trials: int) -> str:
    at = f"at {first:.2f}" if trials == 1 else f"from {first:.2f} to {last:.2f} ({trials} trials)"
    return f"{at}, over the end" if first > last else at


def _percent(share: float) -> str:
    """Return a share with one decimal below a tenth."""
    if share < 0.001:
        return "less than 0.1 %"
    return f"{100 * share:.{1 if share < 0.1 else 0}f} %"


def picture(found: ByPhase) -> PhasePicture:
    """Lay the trials out."""
    seen = {one.verdict.outcome for one in found.trials}
    rows = {outcome: TOP + ROW * (place + 0.5) for place, outcome in enumerate(one for one in DRAWN if one in seen)}
    bottom = TOP + ROW * len(rows)
    return PhasePicture(
        width=WIDTH,
        height=bottom + AXIS,
        left=LEFT,
        desc=says(found),
        ticks=tuple(Label(_x(share), bottom, f"{share:g}") for share in TICKS),
        rows=tuple(Label(LEFT - 10, y + 4, OUTCOMES[outcome].label) for outcome, y in rows.items()),
        marks=tuple(
            Mark(
                _x(one.phase),
                rows[one.verdict.outcome],
                DRAWN[one.verdict.outcome],
                mark_style(one.verdict),
                f"trial {one.number}, phase {one.phase:.2f}: {OUTCOMES[one.verdict.outcome].label}",
            )
            for one in found.trials
        ),
        axis=Label((LEFT + WIDTH - RIGHT) / 2, bottom + AXIS - 6, "share of the interval since its last tick"),
    )


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * share
