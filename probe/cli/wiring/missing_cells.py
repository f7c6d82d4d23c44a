"""Run the cells that a look-up lacks, then look again (`--run`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from probe.cli.console.streams import say
from probe.cli.wiring.settled_cells import write_settled
from probe.cli.wiring.single_cells import possible, run_cells
from probe.model import Cell
from probe.model.counts import counted
from probe.runner import Options

Answers = TypeVar("Answers")


def fill_in(
    results: str, jobs: int | None, answers: Callable[[], Answers], missing: Callable[[Answers], Iterable[Cell]]
) -> Answers:
    """Return the answers after running the cells that `missing` names and that can be run.

    The settled cells are brought up to date first, so that nothing is run that is stored already.
    """
    write_settled(results)
    stored = answers()
    cells = [cell for cell in missing(stored) if possible(cell)]
    if not cells:
        return stored
    say(f"running {counted(len(cells), 'cell')} without results")
    run_cells(cells, Options(jobs=jobs), results)
    return answers()
