"""A stand-in for fresh trials, whose outcomes a test names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from probe.cells.aggregate import SettledCell, settle
from probe.cells.cell_names import cell_name
from probe.cli.wiring.settled_cells import write_settled
from probe.model import Cell, Outcome
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
        self.watches: list[int | None] = []
        """The longest observation of each run, in ms."""

    def __call__(
        self,
        results: str,
        _jobs: int | None,
        _planner: object = None,
        watch_ms: int | None = None,
        *,
        exactly: int | None = None,  # as of FreshTrials
    ) -> Self:
        self.results = Path(results)
        self.store = create(self.results, run_id=f"{LATER}-{len(self.runs):04}")
        self.runs.append(self.store.run_id)
        self.watches.append(watch_ms)
        self.stored.clear()
        return self

    def __enter__(self) -> Self:
        self.store.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.store.__exit__(None, None, None)
        write_settled(str(self.results))

    def possible(self, _cell: Cell) -> bool:
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
        return settle(trials(str(self.results), self.store.run_id))
