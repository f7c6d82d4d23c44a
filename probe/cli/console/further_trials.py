"""Lines about the further trials of a run (docs/verdicts.md#further-trials)."""

from __future__ import annotations

from collections.abc import Iterator

from probe.model.counts import counted
from probe.runner.schedule.repeats import Repeated


def further_lines(done: Repeated) -> Iterator[str]:
    """Yield what the end of a run says about further trials."""
    if done.trials:
        yield f"{done.trials} further trials in {counted(done.cells, 'cell')}, where chance may decide"
    if done.lacking:
        verb = "lacks" if done.lacking == 1 else "lack"
        cells = counted(done.lacking, "cell")
        yield f"{cells} {verb} further trials: --repeat-budget {done.needed_s} gives time for them"
