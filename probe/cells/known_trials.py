"""The trials that known results are compared with: of each cell as many as its entries name. Pure.

A cell's newest run gives its result, as in the matrix. Where an entry is about more trials than that run has, those of
the runs before it are added, newest first, until there are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from probe.catalogue.known_results import Expectation
from probe.cells.aggregate import JudgedTrial, SettledCell, settle
from probe.model import Cell, Outcome
from probe.model.outcomes import PLAYED_AGAIN


def needed(expectations: Iterable[Expectation]) -> dict[Cell, int]:
    """Return how many trials of each cell the expectations are about."""
    counts: Counter[Cell] = Counter()
    for item in expectations:
        counts[item.cell] = max(counts[item.cell], item.trials)
    return dict(counts)


def missing(settled: Mapping[Cell, SettledCell], wanted: Mapping[Cell, int]) -> dict[Cell, int]:
    """Return how many judged trials each cell lacks; cells that lack none are left out."""
    return {cell: lack for cell, count in wanted.items() if (lack := count - _judged(settled.get(cell))) > 0}


def _judged(settled: SettledCell | None) -> int:
    return 0 if settled is None or settled.outcome in PLAYED_AGAIN else len(settled.verdicts)


def pooled(rows: Iterable[JudgedTrial], expectations: Sequence[Expectation]) -> dict[Cell, SettledCell]:
    """Settle the cells of expectations, each from as many trials as they are about.

    Where some trials have an outcome that a claim calls bad, one of them is the trial that `probe show` shows.
    """
    wanted = needed(expectations)
    mine: dict[Cell, list[JudgedTrial]] = {}
    for row in rows:
        if row.cell in wanted and not (row.shortened or row.sweep):
            mine.setdefault(row.cell, []).append(row)
    bad: dict[Cell, set[Outcome]] = {}
    for item in expectations:
        bad.setdefault(item.cell, set()).update(item.claim.bad_in_some, item.claim.good_never)
    return {
        cell: _with_older(found, mine[cell], wanted[cell], bad[cell])
        for cell, found in settle(row for these in mine.values() for row in these).items()
    }


def _with_older(newest: SettledCell, rows: Sequence[JudgedTrial], count: int, bad: set[Outcome]) -> SettledCell:
    """Add the judged trials of whole earlier runs to those of the newest, until there are enough."""
    judged = [row for row in rows if row.verdict.outcome not in PLAYED_AGAIN]
    taken: list[JudgedTrial] = []
    for _, run in groupby(sorted(judged, key=lambda row: row.run_id, reverse=True), key=lambda row: row.run_id):
        if len(taken) < count:
            taken += sorted(run, key=lambda row: row.trial)
    if not taken:
        return newest
    verdicts = tuple(row.verdict for row in taken)
    shown = next((row for row in taken if row.verdict.outcome in bad), None)
    if shown is None:
        return replace(newest, verdicts=verdicts)
    return replace(newest, verdicts=verdicts, run_id=shown.run_id, trial=shown.trial)
