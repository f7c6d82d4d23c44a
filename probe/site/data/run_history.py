"""What is known of earlier runs, as `spark` writes it beside the matrix: what changed, and each cell's history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from probe.model import Cell, Outcome
from probe.site.data.matrix_rows import CONFORMS, SiteError


@dataclass(frozen=True, slots=True)
class SettledAnswer:
    """How a run settled a cell."""

    outcome: Outcome
    conforms: bool | None
    trials: int
    run_id: str


@dataclass(frozen=True, slots=True)
class Change:
    """A cell whose row the newest run added or changed."""

    cell: Cell
    before: SettledAnswer | None
    """None for one that was not there."""
    after: SettledAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Runs one after the other that said the same of a cell."""

    first_run: str
    last_run: str
    runs: int
    outcome: Outcome
    conforms: bool | None
    trials: int
    agreeing: int


@dataclass(frozen=True, slots=True)
class Flakes:
    """How often a trial differed from the cell's commonest outcome, over all runs."""

    trials: int
    differing: int
    low: float
    """Lower end of the 95 % interval of the rate, 0 to 1."""
    high: float


@dataclass(frozen=True, slots=True)
class RunHistory:
    """Everything known of earlier runs."""

    changes: Sequence[Change] | None = None
    """None where it is not known."""
    history: Mapping[Cell, Sequence[Stretch]] = field(default_factory=dict)
    """Oldest first."""
    flakes: Mapping[Cell, Flakes] = field(default_factory=dict)


def read_run_history(folder: Path) -> RunHistory:
    """Read changes.parquet, history.parquet and flakes.parquet where they lie beside the matrix.

    Raises SiteError for one that is there and cannot be read.
    """
    changes = folder / "changes.parquet"
    history: dict[Cell, list[Stretch]] = {}
    for cell, row in _rows(folder / "history.parquet"):
        history.setdefault(cell, []).append(_stretch(row))
    for told in history.values():
        told.sort(key=lambda one: one.first_run)
    return RunHistory(
        [_change(cell, row) for cell, row in _rows(changes)] if changes.exists() else None,
        history,
        {cell: _flakes(row) for cell, row in _rows(folder / "flakes.parquet")},
    )


def _rows(path: Path) -> Iterator[tuple[Cell, dict[str, Any]]]:
    if not path.exists():
        return
    try:
        for row in pq.read_table(path).to_pylist():
            yield Cell.of(row), row
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        told = " ".join(str(error).split())
        raise SiteError(f"{path}: cannot be read ({told}); build it again with `probe matrix`") from None


def _change(cell: Cell, row: Mapping[str, Any]) -> Change:
    before = None
    if row["kind"] != "added":
        before = SettledAnswer(
            Outcome(row["outcome_before"]), _conforms(row["conforms_before"]), row["trials_before"], row["run_before"]
        )
    return Change(
        cell, before, SettledAnswer(Outcome(row["outcome"]), _conforms(row["conforms"]), row["trials"], row["run_id"])
    )


def _stretch(row: Mapping[str, Any]) -> Stretch:
    return Stretch(
        first_run=row["first_run"],
        last_run=row["last_run"],
        runs=row["runs"],
        outcome=Outcome(row["outcome"]),
        conforms=_conforms(row["conforms"]),
        trials=row["trials"],
        agreeing=row["agreeing"],
    )


def _flakes(row: Mapping[str, Any]) -> Flakes:
    return Flakes(row["trials"], row["differing"], row["rate_low"], row["rate_high"])


def _conforms(text: str | None) -> bool | None:
    return CONFORMS[text or ""]
