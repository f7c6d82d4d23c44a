"""The table of a sweep: a row per value, a column per client."""

from __future__ import annotations

from collections.abc import Iterator

from probe.cells.sweeps import Step, SweepResult
from probe.cli.console.plain_table import lines_of

NONE = "-"


def sweep_lines(result: SweepResult) -> Iterator[str]:
    """Yield the lines of the table, under a line that says what was asked."""
    asked = result.asked
    yield f"{result.subject}, {asked.engine} {asked.broker}: outcomes, and the median of recovery"
    by_value = [{step.value: step for step in curve.steps} for curve in result.curves]
    rows = [[value, *(_text(steps.get(value)) for steps in by_value)] for value in result.sweep.values]
    yield from lines_of([result.sweep.label, *(curve.name for curve in result.curves)], rows)


def _text(step: Step | None) -> str:
    if step is None:
        return NONE
    words = step.outcomes.replace(":", " ").replace(";", ", ")
    ms = step.median_ms
    return words if ms is None else f"{words}; {ms:.0f} ms"
