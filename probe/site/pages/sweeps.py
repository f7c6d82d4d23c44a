"""The content of the page of sweeps (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.cells.sweeps import Step, SweepResult
from probe.model.run_ids import began
from probe.site.pages.sweep_picture import Picture, picture


@dataclass(frozen=True, slots=True)
class SweepRow:
    """A value, with the step of each client; None where it has no trial."""

    value: str
    steps: tuple[Step | None, ...]


@dataclass(frozen=True, slots=True)
class ShownSweep:
    """A sweep with its picture and its table."""

    result: SweepResult
    id: str
    """Unique within the page."""
    picture: Picture
    rows: tuple[SweepRow, ...]
    day: str
    """The day of the run; empty if its id has none."""


def shown_sweeps(results: Sequence[SweepResult]) -> list[ShownSweep]:
    """Return the sweeps for the page, those of the newest run first."""
    newest = sorted(results, key=lambda one: one.run_id, reverse=True)
    return [_shown(one, f"sweep{place}") for place, one in enumerate(newest)]


def _shown(result: SweepResult, name: str) -> ShownSweep:
    by_value = [{step.value: step for step in curve.steps} for curve in result.curves]
    rows = (SweepRow(value, tuple(steps.get(value) for steps in by_value)) for value in result.sweep.values)
    start = began(result.run_id)
    return ShownSweep(result, name, picture(result), tuple(rows), f"{start:%Y-%m-%d}" if start else "")
