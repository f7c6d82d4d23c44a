"""Words as numbers and back. Grouping and sorting millions of rows by nine words costs Spark several times as much.

A cell's number is a hash of 64 bits: among a million cells two share one with a chance of 3 in 100 million. A run's is
its place among all runs, so that the later is the greater; an outcome's its place in `Outcome`, which lists the worse
first. Words are looked up only for what is left after counting.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Outcome
from spark.schema import IDENTITY

PLACES = tuple(Outcome)
OUTCOMES = f"array({', '.join(repr(outcome.value) for outcome in PLACES)})"
"""The same for Spark."""
CONFORMITY = (None, "yes", "no")
"""What `said` stands for: conformity of several trials, in which the greatest number wins."""
_BETWEEN = "\n"


def cell_hash() -> Column:
    """Return the number of a row's cell."""
    return F.xxhash64(*IDENTITY).alias("cell")


def outcome_place(outcome: Column) -> Column:
    """Return the number of an outcome."""
    return (F.array_position(_outcomes(), outcome) - 1).cast("int")


def outcome_at(place: Column) -> Column:
    """Return the outcome of a number; null for null."""
    return F.get(_outcomes(), place)


def conformity_code(conforms: Column) -> Column:
    """Return the number of whether a trial conforms."""
    return F.when(conforms, 1).when(~conforms, 2).otherwise(0)


def conformity_at(said: Column) -> Column:
    """Return `yes`, `no` or null."""
    return F.get(F.array(*(F.lit(word) for word in CONFORMITY)), said)


def run_at(runs: Sequence[str], number: Column) -> Column:
    """Return the id of a run, of all runs in their order; null for null."""
    return F.get(_ids(runs), number)


def run_hash(name: str) -> Column:
    """Return one number for the id of a run: a number is looked up much faster than a word."""
    return F.xxhash64(name)


def run_hashes(session: SparkSession, runs: Sequence[str]) -> DataFrame:
    """Return what `run_hash` can be: `hash`, and the number `run`."""
    ids = session.range(1).select(F.posexplode(_ids(runs)).alias("run", "id"))
    return ids.select(run_hash("id").alias("hash"), "run")


def answer_hash(run: str, outcome: str) -> Column:
    """Return one number for a run and an outcome in it: two words a row would be looked up in lists else."""
    return F.xxhash64(run, outcome)


def answers(session: SparkSession, runs: Sequence[str]) -> DataFrame:
    """Return what `answer_hash` can be: `answer`, and the numbers `run` and `outcome`. A few thousand rows."""
    ids = session.range(1).select(F.posexplode(_ids(runs)).alias("run", "id"))
    every = ids.select("run", "id", F.posexplode(_outcomes()).alias("outcome", "word"))
    return every.select(answer_hash("id", "word").alias("answer"), "run", "outcome")


def number_runs(rows: DataFrame, name: str, runs: Sequence[str]) -> DataFrame:
    """Replace ids of runs by their numbers."""
    ids = rows.sparkSession.range(1).select(F.posexplode(_ids(runs)).alias("nth", "id"))
    known = ids.select("nth", F.col("id").alias(name))
    numbered = rows.join(F.broadcast(known), name)
    return numbered.select(*(F.col("nth" if column == name else column).alias(column) for column in rows.columns))


def _ids(runs: Sequence[str]) -> Column:
    """Give all ids as one constant: Spark folds it once, however many there are."""
    return F.split(F.lit(_BETWEEN.join(runs)), _BETWEEN)


def _outcomes() -> Column:
    return F.expr(OUTCOMES)
