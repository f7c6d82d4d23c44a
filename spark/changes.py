"""Cells over time, DataFrame -> DataFrame: what the newest run changed, and stretches of runs that said the same."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from spark.schema import IDENTITY
from spark.tables import CHANGES, HISTORY
from spark.transforms import SETTLES, cell_hash


def changes(elected: DataFrame, newest: str) -> DataFrame:
    """Name the cells whose row the run `newest` added or changed: ELECTED -> CHANGES."""
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
    """Take what each run says of a cell, where it settles it, as a stretch of one: SETTLED -> HISTORY."""
    one = {"first_run": F.col("run_id"), "last_run": F.col("run_id"), "runs": F.lit(1).cast("bigint")}
    return settled.where(F.col("weight") == SETTLES).select(
        *(one.get(name, F.col(name)).alias(name) for name in HISTORY.names)
    )


def join_stretches(told: DataFrame) -> DataFrame:
    """Join the neighbours of a cell that say the same: HISTORY -> HISTORY."""
    by_time = Window.partitionBy("cell", *IDENTITY).orderBy("first_run")
    goes_on = _same("outcome", F.lag("outcome").over(by_time)) & _same("conforms", F.lag("conforms").over(by_time))
    is_first = F.row_number().over(by_time) == 1
    nth = F.sum(F.when(goes_on & ~is_first, 0).otherwise(1)).over(by_time)
    joined = (
        told.withColumn("cell", cell_hash())
        .withColumn("nth", nth)
        .groupBy("cell", *IDENTITY, "nth", "outcome", "conforms")
    )
    return joined.agg(
        F.min("first_run").alias("first_run"),
        F.max("last_run").alias("last_run"),
        *(F.sum(name).alias(name) for name in ("runs", "trials", "agreeing")),
    ).select(*HISTORY.names)


def _same(name: str, other: str | Column) -> Column:
    return F.col(name).eqNullSafe(F.col(other) if isinstance(other, str) else other)
