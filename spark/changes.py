"""Cells over time, DataFrame -> DataFrame: what the newest run changed, and stretches of runs that said the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model.outcomes import SETTLES
from spark.encoding import cell_hash, conformity_at, conformity_code, number_runs, outcome_at, outcome_place, run_at
from spark.tables import CHANGES, HISTORY, STRETCHED


def changes(elected: DataFrame, newest: str) -> DataFrame:
    """Name the cells whose row the run `newest` added or changed: ELECTED with IDENTITY -> CHANGES."""
    was_there = F.col("before").isNotNull()
    said_else = ~_same("outcome", "before.outcome") | ~_same("conforms", "before.conforms")
    columns = {
        "kind": F.when(was_there, "changed").otherwise("added"),
        **{f"{name}_before": F.col(f"before.{name}") for name in ("outcome", "conforms", "trials")},
        "run_before": F.col("before.run_id"),
    }
    return elected.where((F.col("run_id") == newest) & (~was_there | said_else)).select(
        *(columns.get(name, F.col(name)).alias(name) for name in CHANGES.names)
    )


def as_history(settled: DataFrame) -> DataFrame:
    """Take what each run says of a cell, where it settles it, as a stretch of one: SETTLED -> STRETCHED."""
    one = {"first_run": F.col("run"), "last_run": F.col("run"), "runs": F.lit(1).cast("bigint")}
    return settled.where(F.col("weight") == SETTLES).select(
        *(one.get(name, F.col(name)).alias(name) for name in STRETCHED.names)
    )


def encode(history: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Take up stretches that were kept: HISTORY -> STRETCHED."""
    said = {
        "cell": cell_hash(),
        "outcome": outcome_place(F.col("outcome")),
        "said": conformity_code(F.col("conforms") == "yes"),
    }
    rows = history.select(*(said.get(name, F.col(name)).alias(name) for name in STRETCHED.names))
    return number_runs(number_runs(rows, "first_run", runs), "last_run", runs)


def join_stretches(told: DataFrame) -> DataFrame:
    """Join the neighbours of a cell that say the same: STRETCHED -> STRETCHED."""
    by_time = Window.partitionBy("cell").orderBy("first_run")
    same = (F.col(name) == F.lag(name, 1, -1).over(by_time) for name in ("outcome", "said"))
    nth = F.sum(F.when(reduce(and_, same), 0).otherwise(1)).over(by_time)
    joined = told.withColumn("nth", nth).groupBy("cell", "nth", "outcome", "said")
    return joined.agg(
        F.min("first_run").alias("first_run"),
        F.max("last_run").alias("last_run"),
        *(F.sum(name).alias(name) for name in ("runs", "trials", "agreeing")),
    ).select(*STRETCHED.names)


def decode(told: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Tell stretches to readers: STRETCHED with IDENTITY -> HISTORY."""
    columns = {
        **{name: run_at(runs, F.col(name)) for name in ("first_run", "last_run")},
        "outcome": outcome_at(F.col("outcome")),
        "conforms": conformity_at(F.col("said")),
    }
    return told.select(*(columns.get(name, F.col(name)).alias(name) for name in HISTORY.names))


def _same(name: str, other: str) -> Column:
    return F.col(name).eqNullSafe(F.col(other))
