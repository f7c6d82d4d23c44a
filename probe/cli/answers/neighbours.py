"""The answer of `probe advise FAMILY`: what each listed version changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe.cells.comparison_steps import Asked
from probe.cli.answers.advice_summary import summary
from probe.cli.wiring.decisive_trials import cost
from probe.cli.wiring.neighbours import Neighbours
from probe.model.counts import counted


def neighbour_lines(found: Sequence[Neighbours], command: str, jobs: int | None) -> Iterator[str]:
    """Yield a line per pair of neighbours, then what decides the rest."""
    for pair in found:
        if pair.compared:
            apart = f"; {counted(len(pair.apart), 'cell')} not comparable" if pair.apart else ""
            yield f"{pair.older} -> {pair.newer}  {summary(pair.compared)}{apart}"
        else:
            yield f"{pair.older} -> {pair.newer}  no cell is stored for both"
    open_ones = [one for pair in found for one in pair.compared if one.needs]
    if open_ones:
        spent = cost(open_ones, Asked(chance=frozenset()), jobs)
        yield (
            f"{counted(len(open_ones), 'cell')} undecided on too few trials; {spent.least} to {spent.most} trials, "
            f"about {spent.seconds} s, decide them: {command}"
        )
