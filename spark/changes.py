"""Cells over time, DataFrame -> DataFrame: changes by the newest run, and stretches of runs with the same result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from spark.conditions import place_in, settling_tier, since_of
from spark.encoding import cell_hash, conformity_at, conformity_code, number_runs, outcome_at, outcome_place, run_at
from spark.tables import CHANGES, HISTORY, STRETCHED

_RESULT = ("outcome", "worst", "conformity", "conditions")
"""The columns of a run's result for a cell, in numbers, and the conditions since which results are comparable."""


def changes(elected: DataFrame, newest: str) -> DataFrame:
    """Return the cells whose row the run `newest` added or changed: ELECTED with IDENTITY -> CHANGES.

    A cell whose row before is not comparable is left out.
    """
    was_there = F.col("before").isNotNull()
    differs = ~_same("worst", "before.worst") | ~_same("conforms", "before.conforms")
    comparable = place_in(F.col("tier")) == place_in(F.col("before.tier"))
    columns = {
        "kind": F.when(was_there, "changed").otherwise("added"),
        **{f"{name}_before": F.col(f"before.{name}") for name in ("outcome", "conforms", "trials", "worst")},
        "run_before": F.col("before.run_id"),
    }
    return elected.where((F.col("run_id") == newest) & (~was_there | (comparable & differs))).select(
        *(columns.get(name, F.col(name)).alias(name) for name in CHANGES.names)
    )


def as_history(settled: DataFrame) -> DataFrame:
    """Turn every result that settles a cell into a stretch of one run: SETTLED -> STRETCHED."""
    tier = F.col("tier")
    one = {
        "first_run": F.col("run"),
        "last_run": F.col("run"),
        "runs": F.lit(1).cast("bigint"),
        "conditions": since_of(tier),
    }
    return settled.where(tier >= settling_tier()).select(
        *(one.get(name, F.col(name)).alias(name) for name in STRETCHED.names)
    )


def encode(history: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Turn stretches of the cache into numbers: HISTORY -> STRETCHED."""
    encoded = {
        "cell": cell_hash(),
        "outcome": outcome_place(F.col("outcome")),
        "worst": outcome_place(F.col("worst")),
        "conformity": conformity_code("conforms = 'yes'"),
    }
    rows = history.select(*(encoded.get(name, F.col(name)).alias(name) for name in STRETCHED.names))
    return number_runs(number_runs(rows, "first_run", runs), "last_run", runs)


def join_stretches(stretches: DataFrame) -> DataFrame:
    """Join adjacent stretches of a cell with the same result: STRETCHED -> STRETCHED."""
    by_time = Window.partitionBy("cell").orderBy("first_run")
    same = (F.col(name) == F.lag(name, 1, -1).over(by_time) for name in _RESULT)
    nth = F.sum(F.when(reduce(and_, same), 0).otherwise(1)).over(by_time)
    joined = stretches.withColumn("nth", nth).groupBy("cell", "nth", *_RESULT)
    return joined.agg(
        F.min("first_run").alias("first_run"),
        F.max("last_run").alias("last_run"),
        *(F.sum(name).alias(name) for name in ("runs", "trials", "agreeing")),
    ).select(*STRETCHED.names)


def decode(stretches: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Turn the numbers of stretches into words: STRETCHED with IDENTITY -> HISTORY."""
    columns = {
        **{name: run_at(runs, F.col(name)) for name in ("first_run", "last_run")},
        "outcome": outcome_at(F.col("outcome")),
        "worst": outcome_at(F.col("worst")),
        "conforms": conformity_at(F.col("conformity")),
    }
    return stretches.select(*(columns.get(name, F.col(name)).alias(name) for name in HISTORY.names))


def _same(name: str, other: str) -> Column:
    return F.col(name).eqNullSafe(F.col(other))
