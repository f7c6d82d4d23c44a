"""Results of earlier runs, from the tables of `spark`: changes by the newest run, and the history of every cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from probe.model import Cell, Outcome
from probe.model.conditions import FIRST
from probe.site.data.matrix_rows import CONFORMS, SiteError


@dataclass(frozen=True, slots=True)
class SettledAnswer:
    """The result of a run for a cell."""

    outcome: Outcome
    conforms: bool | None
    trials: int
    run_id: str
    worst: Outcome


@dataclass(frozen=True, slots=True)
class Change:
    """A cell whose row the newest run added or changed."""

    cell: Cell
    before: SettledAnswer | None
    """None for an added cell."""
    after: SettledAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Consecutive runs with the same result for a cell."""

    first_run: str
    last_run: str
    runs: int
    outcome: Outcome
    conforms: bool | None
    trials: int
    agreeing: int
    worst: Outcome
    """The outcome of the worst trial of each run."""
    conditions: int = FIRST
    """The number since which trials of the cell are comparable with these."""


@dataclass(frozen=True, slots=True)
class Flakes:
    """The share of trials unlike the commonest outcome of their cell, over all runs under its newest conditions."""

    trials: int
    differing: int
    low: float
    """Lower end of the 95 % interval of the rate, 0 to 1."""
    high: float


@dataclass(frozen=True, slots=True)
class RunHistory:
    """The results of earlier runs."""

    changes: Sequence[Change] | None = None
    """None if unknown."""
    history: Mapping[Cell, Sequence[Stretch]] = field(default_factory=dict)
    """Stretches per cell, oldest first."""
    flakes: Mapping[Cell, Flakes] = field(default_factory=dict)


def read_run_history(folder: Path) -> RunHistory:
    """Read changes.parquet, history.parquet and flakes.parquet from the folder of the matrix, if they exist.

    Raises SiteError if a table exists but cannot be read.
    """
    changes = folder / "changes.parquet"
    history: dict[Cell, list[Stretch]] = {}
    for cell, row in _rows(folder / "history.parquet"):
        history.setdefault(cell, []).append(_stretch(row))
    for stretches in history.values():
        stretches.sort(key=lambda one: one.first_run)
    return RunHistory(
        [_change(cell, row) for cell, row in _rows(changes)] if changes.exists() else None,
        history,
        {cell: _flakes(row) for cell, row in _rows(folder / "flakes.parquet")},
    )


def _rows(path: Path) -> Iterator[tuple[Cell, dict[str, Any]]]:
    if not path.exists():
        return
    try:
        for row in pq.ParquetFile(path).read(use_threads=False).to_pylist():  # `read_table` loads a scanner
            yield Cell.of(row), row
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise SiteError(f"{path}: cannot be read ({reason}); build it again with `probe matrix`") from None


def _change(cell: Cell, row: Mapping[str, Any]) -> Change:
    before = None
    if row["kind"] != "added":
        before = _answer(row, "_before", row["run_before"])
    return Change(cell, before, _answer(row, "", row["run_id"]))


def _answer(row: Mapping[str, Any], side: str, run_id: str) -> SettledAnswer:
    outcome, worst = (Outcome(row[f"{name}{side}"]) for name in ("outcome", "worst"))
    return SettledAnswer(outcome, _conforms(row[f"conforms{side}"]), row[f"trials{side}"], run_id, worst)


def _stretch(row: Mapping[str, Any]) -> Stretch:
    return Stretch(
        first_run=row["first_run"],
        last_run=row["last_run"],
        runs=row["runs"],
        outcome=Outcome(row["outcome"]),
        conforms=_conforms(row["conforms"]),
        trials=row["trials"],
        agreeing=row["agreeing"],
        worst=Outcome(row["worst"]),
        conditions=row.get("conditions", FIRST),
    )


def _flakes(row: Mapping[str, Any]) -> Flakes:
    return Flakes(row["trials"], row["differing"], row["rate_low"], row["rate_high"])


def _conforms(text: str | None) -> bool | None:
    return CONFORMS[text or ""]
