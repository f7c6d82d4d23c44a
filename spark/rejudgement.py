"""Judge stored histories again with the present rules, file by file on Spark's workers; report changed cells.

`steady` is judged first, because the other verdicts of a client depend on its outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StringType, StructField, StructType

from probe.model import CONTROL, Cell, History, Outcome, Verdict
from probe.model.history import FAILING_FROM
from probe.model.results import IDENTITY, RUN_PREFIX, SCHEMA_KEY, SCHEMA_VERSION, VERDICTS, ResultsError
from probe.verdict.control import ControlResult, settle_control
from spark.aggregate import matrix
from spark.histories import judge_file
from spark.inputs import Inputs, find_inputs
from spark.output import next_verdict_file, write_parquet
from spark.reader import read_trials
from spark.schema import TRIAL_KEY, VERDICT
from spark.session import start_session, stop_session

JUDGE = "probe.verdict:judge"
"""The module and function of the rules; loaded when needed."""
SUITE = ("run_id", *(name for name in IDENTITY if name != "scenario"))
"""Columns of cells that share a steady outcome."""

Judge = Callable[[History], Verdict]
Steady = dict[tuple[str, ...], ControlResult]
_JUDGED = StructType([*VERDICT.fields, StructField("problem", StringType())])


@dataclass(frozen=True, slots=True)
class Change:
    """A cell whose row changed; both outcomes may be equal if other columns differ."""

    cell: Cell
    before: str
    after: str
    columns: tuple[str, ...]
    """The columns of the matrix that differ."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """The result of judging again."""

    trials: int
    """Number of histories judged."""
    written: tuple[str, ...]
    """Verdict files that were written; none for a run without changes."""
    changed: tuple[Change, ...]
    problems: tuple[str, ...]
    """One line per file or history that could not be judged; its verdict stays."""


def rejudge(
    results: str, master: str | None = None, session: SparkSession | None = None, judge: str = JUDGE
) -> Rejudged:
    """Judge every stored history again and write `verdicts/<rules>-<seq>.parquet` for runs with changes.

    ResultsError if nothing can be read; ToolError if Spark does not start.
    """
    inputs = find_inputs(results)
    mine = session or start_session(master)
    try:
        return _rejudge(mine, inputs, judge)
    finally:
        if session is None:
            stop_session(mine)


def _rejudge(session: SparkSession, inputs: Inputs, judge: str) -> Rejudged:
    files = session.createDataFrame([(inputs.results, path) for path in inputs.trials], "results STRING, path STRING")
    spread = files.repartition(max(session.sparkContext.defaultParallelism, 1))
    judged = spread.mapInArrow(partial(_judge_files, judge, _steady(spread, judge)), _JUDGED).cache()
    try:
        return _write_changed(session, inputs, judged)
    finally:
        judged.unpersist()


def _steady(files: DataFrame, judge: str) -> Steady:
    """Return the present result of the control cell per suite, from its trials in their order, without failed ones.

    A control cell of too few trials to settle it counts as not clean: its first outcome, with one trial.
    """
    judged = files.mapInArrow(partial(_judge_files, judge, None), _JUDGED).where("problem IS NULL")
    found: dict[tuple[str, ...], list[Outcome]] = {}
    for row in judged.where(judged.trial < FAILING_FROM).orderBy("trial").collect():
        found.setdefault(tuple(row[name] for name in SUITE), []).append(Outcome(row["outcome"]))
    return {suite: settle_control(outcomes) or ControlResult(outcomes[0], 1) for suite, outcomes in found.items()}


def _write_changed(session: SparkSession, inputs: Inputs, judged: DataFrame) -> Rejudged:
    trials = read_trials(session, inputs)
    verdicts = judged.where("problem IS NULL").select(*VERDICT.names)
    new = verdicts.exceptAll(trials.select(*VERDICT.names)).select("run_id").distinct()
    before = _cells(trials, inputs)
    written = tuple(_write(inputs, run_id, verdicts) for run_id in sorted(row["run_id"] for row in new.collect()))
    problems = tuple(sorted(row["problem"] for row in judged.where("problem IS NOT NULL").collect()))
    now = find_inputs(inputs.results)
    after = _cells(read_trials(session, now), now) if written else before
    return Rejudged(verdicts.count(), written, tuple(_changes(before, after)), inputs.problems + problems)


def _write(inputs: Inputs, run_id: str, verdicts: DataFrame) -> str:
    table = verdicts.where(verdicts.run_id == run_id).orderBy(*TRIAL_KEY).toArrow()
    rules = max(table.column("rules").to_pylist())
    path = next_verdict_file(inputs, f"{RUN_PREFIX}{run_id}/{VERDICTS}", rules)
    whole = table.cast(to_arrow_schema(VERDICT)).replace_schema_metadata({SCHEMA_KEY: str(SCHEMA_VERSION).encode()})
    write_parquet(inputs.url(path), whole)
    return path


def _cells(trials: DataFrame, inputs: Inputs) -> dict[tuple[str, ...], dict[str, Any]]:
    rows = (row.asDict() for row in trials.transform(matrix, inputs.runs).collect())
    return {tuple(row[name] for name in IDENTITY): row for row in rows}


def _changes(
    before: dict[tuple[str, ...], dict[str, Any]], after: dict[tuple[str, ...], dict[str, Any]]
) -> Iterator[Change]:
    for identity in sorted(before.keys() | after.keys()):
        old, new = before.get(identity, {}), after.get(identity, {})
        columns = tuple(name for name in (old or new) if old.get(name) != new.get(name))
        if columns:
            cell = Cell.of(dict(zip(IDENTITY, identity, strict=True)))
            yield Change(cell, str(old.get("outcome", "")), str(new.get("outcome", "")), columns)


def _judge_files(judge: str, steady: Steady | None, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Judge the histories of trial files on a worker, one batch of verdicts per file; steady trials only at first."""
    rules = _load(judge)
    schema = to_arrow_schema(_JUDGED)
    for batch in batches:
        for row in batch.to_pylist():
            rows = list(judge_file(row["results"], row["path"], rules, steady, SUITE, CONTROL))
            yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _load(judge: str) -> Judge:
    module, _, name = judge.partition(":")
    try:
        found: Judge = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ResultsError(f"the rules {judge} cannot be loaded: {error}") from error
    return found
