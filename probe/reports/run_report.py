"""The result of a run for its reports: every settled cell, with the earlier result of the cell. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from probe.cells.aggregate import JudgedTrial, SettledCell, settle
from probe.cells.cell_order import in_order
from probe.cells.cli_hints import show_command
from probe.cells.comparison import Answer, Compared
from probe.cells.comparison_steps import of_two_runs
from probe.model import Cell, Client, Verdict
from probe.reports.gates import Result, result

REPORTED = (Answer.WORSE, Answer.BETTER, Answer.UNDECIDED, Answer.CHANGED)
"""Answers that a report lists, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a run."""

    run_id: str
    results: str
    """The results folder as the commands in the report name it."""
    cells: Mapping[Cell, SettledCell]
    """Ordered by scenario, role, profile and client."""
    before: Mapping[Cell, SettledCell] | None = None
    """The results of all earlier runs for these cells; None where they were not read."""
    started: str = ""
    """ISO 8601, empty if not known."""
    seconds: float = 0.0
    """Duration of the run."""
    left: int = 0
    """Planned cells that did not run: the time was up, or the run was ended."""

    def of(self, kind: Result) -> list[SettledCell]:
        """Return the cells with this result in a pipeline."""
        return [one for one in self.cells.values() if result(one) is kind]

    def by_client(self) -> dict[Client, list[SettledCell]]:
        """Group the cells by client version, in the order of first cells."""
        found: dict[Client, list[SettledCell]] = {}
        for cell, one in self.cells.items():
            found.setdefault(cell.client, []).append(one)
        return found

    def changes(self) -> list[Compared]:
        """Return the changes of cells that were known before, those that became worse first."""
        known = self.before or {}
        apart = (one for one in of_two_runs(known, self.cells) if one.answer in REPORTED)
        place = {cell: number for number, cell in enumerate(self.cells)}
        return sorted(apart, key=lambda one: (REPORTED.index(one.answer), place[one.step.after.cell]))

    def not_comparable(self) -> int:
        """Return the number of cells whose earlier result was measured under conditions that cannot be compared."""
        known = self.before or {}
        return sum(1 for cell, one in self.cells.items() if cell in known and not known[cell].is_comparable(one))

    def evidence(self, settled: SettledCell) -> str:
        """Return the command that shows the evidence of a cell."""
        return show_command(settled, self.results)


def run_cells(rows: Iterable[JudgedTrial]) -> dict[Cell, SettledCell]:
    """Settle the trials of one run alone. Shortened observations count: the run asked for them."""
    found = settle(_JudgedTrial(row.run_id, row.cell, row.trial, row.verdict, row.conditions) for row in rows)
    return {cell: found[cell] for cell in in_order(found)}


@dataclass(frozen=True, slots=True)
class _JudgedTrial:
    run_id: str
    cell: Cell
    trial: int
    verdict: Verdict
    conditions: int
    shortened: bool = False
    sweep: str = ""
