"""Retention: the runs of a results folder that may be removed. The runs behind the matrix always stay."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from probe.errors import ProbeError
from probe.model import Cell
from probe.model.conditions import Rank, rank
from probe.model.results import RUN_PREFIX, ResultsError
from probe.model.run_ids import began
from probe.store.files import Place
from probe.store.reader import RunInfo, TrialRow, run_info, trials

ASIDE = ".pruned-"
"""Runs that are being removed; readers ignore such a folder."""
UNDER_WAY = timedelta(days=2)
"""A younger run without an end may still be under way on another machine."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run that stays, with the reason."""

    run_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Removal:
    """The decision of the retention."""

    gone: tuple[str, ...]
    kept: tuple[KeptRun, ...]


def choose(
    results: str, *, keep: int | None = None, older_than_days: float | None = None, now: datetime | None = None
) -> Removal:
    """Return the runs that may be removed: beyond the newest `keep`, and older than `older_than_days`, if given.

    A run stays if it has the trials that give a cell its result (`probe.model.conditions.rank`). It also stays if one
    of its files cannot be read, or if it may still be under way.
    """
    ids = Place(results).run_ids()
    newest = set() if keep is None else set(ids[-keep:])
    oldest = (now or datetime.now(UTC)) - timedelta(days=older_than_days or 0)
    evidence, damaged = _evidence(results, ids)
    gone, kept = [], []
    for run_id in ids:
        if run_id in newest:
            reason = f"among the newest {keep}"
        elif older_than_days is not None and _at(run_id) > oldest:
            reason = f"younger than {older_than_days:g} days"
        elif run_id in damaged:
            reason = f"cannot be read whole: {damaged[run_id]}"
        elif run_id in evidence:
            reason = f"last evidence of {evidence[run_id]} cells"
        elif _may_be_under_way(run_info(results, run_id), now or datetime.now(UTC)):
            reason = "has not ended"
        else:
            gone.append(run_id)
            continue
        kept.append(KeptRun(run_id, reason))
    return Removal(tuple(gone), tuple(kept))


def remove(results: str, run_ids: Iterable[str]) -> int:
    """Remove runs and return the bytes freed. Every run is renamed first, so that no reader finds an incomplete run.

    Remains of an earlier call that was killed are removed, too. ProbeError if a folder cannot be removed.
    """
    root = local(results)
    try:
        for run_id in run_ids:
            (root / f"{RUN_PREFIX}{run_id}").rename(root / f"{ASIDE}{run_id}")
        return sum(_drop(folder) for folder in sorted(root.glob(f"{ASIDE}*")))
    except OSError as error:
        raise ProbeError(f"{error.filename} cannot be removed: {error.strerror}; the other runs are complete") from None


def size(results: str, run_id: str) -> int:
    """Return the size of a run's files in bytes."""
    return _size(local(results) / f"{RUN_PREFIX}{run_id}")


def local(results: str) -> Path:
    """Return the folder of results; ProbeError if it is not a folder of this machine."""
    if "://" in results:
        raise ProbeError(f"{results} is no folder of this machine; use the expiry of its object store")
    if not Path(results).is_dir():
        raise ProbeError(f"{results} is not there; name the results folder with --results")
    return Path(results)


def _evidence(results: str, ids: Iterable[str]) -> tuple[Mapping[str, int], Mapping[str, str]]:
    """Return the number of cells per run that rest on it, and the problem of every damaged run."""
    best: dict[Cell, Rank] = {}
    met: dict[Cell, str] = {}
    damaged: dict[str, str] = {}
    for run_id in ids:
        warned: list[str] = []
        for row in _rows(results, run_id, warned):
            met[row.cell] = run_id
            if not (row.shortened or row.sweep):
                own = rank(row.cell, row.verdict.outcome, row.conditions, run_id)
                best[row.cell] = max(own, best.get(row.cell, own))
        if not run_info(results, run_id, warned.append).shards:
            warned.append("it does not describe itself")
        if warned:
            damaged[run_id] = warned[0]
    counts: dict[str, int] = {}
    for run_id in {**met, **{cell: one[-1] for cell, one in best.items()}}.values():
        counts[run_id] = counts.get(run_id, 0) + 1
    return counts, damaged


def _rows(results: str, run_id: str, warned: list[str]) -> Iterable[TrialRow]:
    try:
        yield from trials(results, run_id, warn=warned.append)
    except ResultsError as error:  # no file of the run can be read
        warned.append(str(error))


def _at(run_id: str) -> datetime:
    """Return the start of a run from its id; the present time if the id has no time, so that the run stays."""
    return began(run_id) or datetime.now(UTC)


def _may_be_under_way(info: RunInfo, now: datetime) -> bool:
    return not info.finished and now - _at(info.run_id) < UNDER_WAY


def _drop(folder: Path) -> int:
    freed = _size(folder)
    shutil.rmtree(folder)
    return freed


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
