"""The published part of settled cells: the choice, and the known results that it contradicts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from probe.catalogue.families import is_local
from probe.catalogue.known_results import Expectation
from probe.cells.aggregate import SettledCell
from probe.cells.expectations import Finding, Status, check
from probe.evidence.sameness import replaces
from probe.evidence.schema import Run
from probe.evidence.writer import Contents
from probe.model import Cell, Engine
from probe.model.conditions import CURRENT, FIRST, comparable
from probe.model.counts import commonest
from probe.model.outcomes import PLAYED_AGAIN, UNSETTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The contents to publish, and how many cells are left out for which reason."""

    contents: Contents
    left_out: Mapping[str, int]


def unfit_for_site(cells: Mapping[Cell, SettledCell]) -> list[Cell]:
    """Return the cells that a site does not publish: they say nothing about a released client."""
    return [cell for cell, item in cells.items() if _unfit(item)]


def for_package(contents: Contents, rules: int, *others: Mapping[Engine, int]) -> Choice:
    """Return what the package ships: what a site publishes, of some conditions and by the current rules only.

    The conditions are today's, and `others`: those of the evidence that the cells are added to.
    """

    def unfit(item: SettledCell) -> str:
        numbers = [one.get(item.cell.engine, FIRST) for one in (CURRENT, *others)]
        if not any(comparable(item.cell, item.conditions, item.cell, number) for number in numbers):
            return "measured under other conditions; `probe run` measures them again"
        if item.rules != rules:
            return f"not judged by rules {rules}; `probe judge` judges them again"
        return _unfit(item)

    reasons = {cell: unfit(item) for cell, item in contents.cells.items()}
    cells = {cell: _judged(item) for cell, item in contents.cells.items() if not reasons[cell]}
    runs = {item.run_id for item in cells.values()}
    kept = Contents(
        cells=cells,
        runs=[Run(run_id=run.run_id, started=run.started) for run in contents.runs if run.run_id in runs],
        handshakes={cell: sent for cell, sent in contents.handshakes.items() if cell in cells},
    )
    return Choice(contents=kept, left_out=Counter(filter(None, reasons.values())))


def numbers_of(held: Contents) -> Mapping[Engine, int]:
    """Return the conditions of most cells of evidence, per engine."""
    return {
        engine: commonest(item.conditions for item in held.cells.values() if item.cell.engine is engine)
        for engine in {cell.engine for cell in held.cells}
    }


def joined(held: Contents, fresh: Contents) -> Contents:
    """Return evidence with further runs: their cells take the place of older ones (`replaces`), and all others stay."""
    newer = {cell: item for cell, item in fresh.cells.items() if replaces(held.cells.get(cell), item)}
    cells = {**held.cells, **newer}
    sent = {cell: some for cell, some in held.handshakes.items() if cell not in newer}
    runs = {run.run_id: run for run in (*held.runs, *fresh.runs)}
    return Contents(
        cells=cells,
        runs=[runs[run_id] for run_id in sorted(runs)],
        handshakes={**sent, **{cell: some for cell, some in fresh.handshakes.items() if cell in newer}},
    )


def _judged(item: SettledCell) -> SettledCell:
    """Return a cell without trials that are played again, unless it has no others: as `verify` counts."""
    verdicts = tuple(one for one in item.verdicts if one.outcome not in PLAYED_AGAIN)
    return replace(item, verdicts=verdicts) if verdicts else item


def _unfit(item: SettledCell) -> str:
    if item.outcome in UNSETTLED:
        return "not settled: the trial waited, broke or did not run"
    return "of a local build" if is_local(item.cell.version) else ""


def contradicted(cells: Mapping[Cell, SettledCell], expectations: Iterable[Expectation]) -> list[Finding]:
    """Return the known results that settled cells contradict.

    Too few trials contradict nothing, nor do those under conditions older than the first ones that show the result.
    """
    findings = (check(item, cells.get(item.cell)) for item in expectations)
    return [found for found in findings if found.status is Status.FAILS and not _is_older(found)]


def _is_older(found: Finding) -> bool:
    return found.settled is not None and found.settled.conditions < found.expectation.conditions
