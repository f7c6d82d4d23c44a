"""Read the histories of one trial file and judge them. Runs on a worker, without a Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from probe.files.parquet import read_rows
from probe.model import History, Verdict
from probe.model.columns import ADDED
from probe.model.results import EVENTS, IDENTITY, TRIALS
from probe.model.rows import EVENT, MISFITS, TRIAL, Columns, by_trial, history_of, trial_key, verdict_columns
from probe.verdict.control import ControlResult, with_control
from spark.inputs import open_place

Row = dict[str, Any]
Filter = list[tuple[str, str, str]] | None
_KEY = ("run_id", *TRIAL)


def judge_file(
    results: str,
    path: str,
    judge: Callable[[History], Verdict],
    steady: Mapping[tuple[str, ...], ControlResult] | None,
    suite: Sequence[str],
    steady_name: str,
) -> Iterator[Row]:
    """Yield a verdict row per history; for one that cannot be judged, a row with nothing but `problem`.

    Without `steady` only steady trials are judged. With it, every history gets the steady outcome of its suite.
    """
    only = [("scenario", "==", steady_name)] if steady is None else None
    try:
        trials = _read(results, path, [*_KEY, "header"], only).to_pylist()
        wanted = [row for row in trials if row["header"] is not None]
        events = _events(results, path.replace(f"/{TRIALS}/", f"/{EVENTS}/"), only) if wanted else {}
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        yield {"problem": f"{results}/{path} cannot be judged: {reason}; delete it and resume its run"}
        return
    for row in wanted:
        control = None if steady is None or row["scenario"] == steady_name else steady.get(_of(row, suite))
        yield _judged(row, events.get(trial_key(row), ((), (), ())), judge, control, f"{results}/{path}")


def _judged(
    row: Row, events: Columns, judge: Callable[[History], Verdict], control: ControlResult | None, name: str
) -> Row:
    try:
        history = history_of(row["header"], *events)
        history = replace(history, header=with_control(history.header, control))
        verdict = judge(history)
    except (*MISFITS, AttributeError, ArithmeticError, LookupError, AssertionError) as error:
        what = f"trial {row['trial']} of {' '.join(_of(row, IDENTITY))}"
        return {"problem": f"{name}: {what} cannot be judged: {type(error).__name__}: {error}; it keeps its verdict"}
    return {**{column: row[column] for column in _KEY}, **verdict_columns(verdict)}


def _events(results: str, path: str, only: Filter) -> dict[object, Columns]:
    """Read the events of a file per trial, in their order."""
    return by_trial(_read(results, path, [*TRIAL, "seq", *EVENT], only))


def _read(results: str, path: str, columns: list[str], only: Filter) -> pa.Table:
    system, root = open_place(results)
    with system.open_input_file(f"{root}/{path}") as source:
        return read_rows(source, pq.ParquetFile(source), columns, only, ADDED)


def _of(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in names)
