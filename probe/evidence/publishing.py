"""What is published of settled cells: the choice, and the known results that it contradicts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from probe.catalogue.families import is_local
from probe.catalogue.known_results import Expectation
from probe.cells.aggregate import SettledCell
from probe.cells.expectations import Finding, Status, check
from probe.evidence.schema import Run
from probe.evidence.write import Contents
from probe.model import Cell
from probe.model.outcomes import UNSETTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The contents to publish, and how many cells are left out for which reason."""

    contents: Contents
    left_out: Mapping[str, int]


def for_site(contents: Contents) -> Choice:
    """Return what the site of a results folder publishes: cells that say something about a released client."""
    return _chosen(contents, _unfit)


def for_package(contents: Contents, rules: int) -> Choice:
    """Return what the package ships: the same, of today's conditions and by the current rules only."""

    def unfit(item: SettledCell) -> str:
        if not item.is_current:
            return "measured under older conditions; `probe run` measures them again"
        if item.rules != rules:
            return f"not judged by rules {rules}; `probe judge` judges them again"
        return _unfit(item)

    return _chosen(contents, unfit)


def _unfit(item: SettledCell) -> str:
    if item.outcome in UNSETTLED:
        return "not settled: the trial waited, broke or did not run"
    return "of a local build" if is_local(item.cell.version) else ""


def _chosen(contents: Contents, unfit: Callable[[SettledCell], str]) -> Choice:
    reasons = {cell: unfit(item) for cell, item in contents.cells.items()}
    cells = {cell: item for cell, item in contents.cells.items() if not reasons[cell]}
    runs = {item.run_id for item in cells.values()}
    kept = Contents(
        cells=cells,
        runs=[Run(run_id=run.run_id, started=run.started) for run in contents.runs if run.run_id in runs],
        handshakes={cell: sent for cell, sent in contents.handshakes.items() if cell in cells},
    )
    return Choice(contents=kept, left_out=Counter(filter(None, reasons.values())))


def contradicted(cells: Mapping[Cell, SettledCell], expectations: Iterable[Expectation]) -> list[Finding]:
    """Return the known results that settled cells contradict. Too few trials contradict nothing."""
    findings = (check(item, cells.get(item.cell)) for item in expectations)
    return [found for found in findings if found.status is Status.FAILS]
