"""A stand-in for fresh trials, whose outcomes a test names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from probe.cells.aggregate import SettledCell, settle
from probe.cells.cell_names import cell_name
from probe.cli.wiring.fresh_trials import Planner, limited_of
from probe.cli.wiring.settled_cells import write_settled
from probe.model import Cell, Outcome
from probe.planning.plan import Planned
from probe.store import trials
from tests.support.synthetic_rows import create, history, verdict

LATER = "20991231T235959Z"
"""The start of the ids of runs after all others."""


class Played:
    """Fresh trials that have the outcome of their version at once, or one of a list in turn."""

    def __init__(self, outcomes: Mapping[str, Sequence[Outcome]]) -> None:
        self.outcomes = outcomes
        self.counts: list[dict[Cell, int]] = []
        self.stored: set[tuple[Cell, int]] = set()
        self.runs: list[str] = []
        self.plans: list[Mapping[Cell, Planned]] = []
        """The cells of each run as they were planned; those of single cells (`plan_cell`) are left out."""

    def __call__(
        self,
        results: str,
        _jobs: int | None,
        planner: Planner | None = None,
        *,
        exactly: int | None = None,  # as of FreshTrials
    ) -> Self:
        self.results = Path(results)
        self.store = create(self.results, run_id=f"{LATER}-{len(self.runs):04}")
        self.runs.append(self.store.run_id)
        self._planner = planner
        self.plans.append({})
        self.stored.clear()
        return self

    def __enter__(self) -> Self:
        self.store.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.store.__exit__(None, None, None)
        write_settled(str(self.results))

    def possible(self, cell: Cell) -> bool:
        if self._planner is not None:
            planned = self._planner(cell)[0].cells
            self.plans[-1] = {**self.plans[-1], **{item.cell: item for item in planned}}
        return True

    def outcomes_of(self, cell: Cell) -> Sequence[Outcome]:
        """Return the outcomes of a cell: those of its name and version, else of its version."""
        return self.outcomes.get(f"{cell.version} {cell_name(cell)}") or self.outcomes[cell.version]

    def play(self, counts: Mapping[Cell, int]) -> dict[Cell, SettledCell]:
        self.counts.append(dict(counts))
        for cell, count in counts.items():
            for number in range(count):
                if (cell, number) not in self.stored:
                    own = self.outcomes_of(cell)
                    self.store.add(history(cell, number), verdict(own[number % len(own)]))
                    self.stored.add((cell, number))
        self.store.flush()
        return settle(trials(str(self.results), self.store.run_id), limited_of([self.plans[-1].values()]))
