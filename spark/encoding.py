"""Words as numbers and back: Spark groups and sorts rows by numbers several times faster than by nine words.

The number of a cell is a hash of 64 bits; among a million cells the probability of a collision is 3 in 100 million.
The number of a run is its place among all runs, so that a later run has a greater number. The number of an outcome is
its place in `Outcome`, which lists the worse first. Words are restored after counting.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Outcome
from probe.model.outcomes import ORDER, RANKS
from spark.schema import IDENTITY

PLACES = tuple(Outcome)
OUTCOMES = f"array({', '.join(repr(outcome.value) for outcome in PLACES)})"
"""The same as a Spark expression."""
CONFORMITY = (None, "yes", "no")
"""Meaning of the column `conformity`: the conformity of several trials, of which the greatest number counts."""
_JUDGED = {None: None, "yes": True, "no": False}
RANKED = f"array({', '.join(str(RANKS[outcome, _JUDGED[word]]) for outcome in PLACES for word in CONFORMITY)})"
"""Spark expression: the rank of an answer, at the number of its outcome times 3 plus that of its conformity."""
BY_RANK = f"array({', '.join(repr(outcome.value) for outcome, _ in ORDER)})"
"""Spark expression: the outcome of every rank."""
CODED = "CASE WHEN {0} THEN 1 WHEN NOT {0} THEN 2 ELSE 0 END"
"""Template of a Spark expression: the number of the conformity of a trial."""
_BETWEEN = "\n"
_END, _NUMBER, _WORD, _LOCAL = "b", "c", "a", "d"
"""Characters that sort a word (rc1) before the end of a version, and the end before a further number."""


def cell_hash() -> Column:
    """Return the number of the cell of a row."""
    return F.xxhash64(*IDENTITY).alias("cell")


def outcome_place(outcome: Column) -> Column:
    """Return the number of an outcome."""
    return (F.array_position(_outcomes(), outcome) - 1).cast("int")


def outcome_at(place: Column) -> Column:
    """Return the outcome of a number; null for null."""
    return F.get(_outcomes(), place)


def conformity_code(conforms: str) -> Column:
    """Return the number of a trial's conformity; `conforms` is an expression."""
    return F.expr(CODED.format(f"({conforms})"))


def answer_rank(place: Column, code: Column) -> Column:
    """Return the rank of an outcome with a conformity, both as numbers; the worst of several has the greatest."""
    return F.get(F.expr(RANKED), place * len(CONFORMITY) + code)


def rank_place(rank: Column) -> Column:
    """Return the number of the outcome of a rank."""
    return outcome_place(F.get(F.expr(BY_RANK), rank))


def conformity_at(code: Column) -> Column:
    """Return `yes`, `no` or null for a number."""
    return F.get(F.array(*(F.lit(word) for word in CONFORMITY)), code)


def run_at(runs: Sequence[str], number: Column) -> Column:
    """Return the id of a run for its number among all runs, oldest first; null for null."""
    return F.get(_ids(runs), number)


def run_hash(name: str) -> Column:
    """Return a hash of a run id, which Spark looks up faster than the word."""
    return F.xxhash64(name)


def run_hashes(session: SparkSession, runs: Sequence[str]) -> DataFrame:
    """Return all values of `run_hash`: `hash`, and the number `run`."""
    ids = session.range(1).select(F.posexplode(_ids(runs)).alias("run", "id"))
    return ids.select(run_hash("id").alias("hash"), "run")


def answer_hash(run: str, outcome: str) -> Column:
    """Return a hash of a run and an outcome, so that a row needs one look-up in place of two."""
    return F.xxhash64(run, outcome)


def answers(session: SparkSession, runs: Sequence[str]) -> DataFrame:
    """Return all values of `answer_hash`: `answer`, and the numbers `run` and `outcome`; a few thousand rows."""
    ids = session.range(1).select(F.posexplode(_ids(runs)).alias("run", "id"))
    every = ids.select("run", "id", F.posexplode(_outcomes()).alias("outcome", "word"))
    return every.select(answer_hash("id", "word").alias("answer"), "run", "outcome")


def number_runs(rows: DataFrame, name: str, runs: Sequence[str]) -> DataFrame:
    """Replace ids of runs by their numbers."""
    ids = rows.sparkSession.range(1).select(F.posexplode(_ids(runs)).alias("nth", "id"))
    known = ids.select("nth", F.col("id").alias(name))
    numbered = rows.join(F.broadcast(known), name)
    return numbered.select(*(F.col("nth" if column == name else column).alias(column) for column in rows.columns))


def version_place(version: str) -> str:
    """Return the expression for text that sorts as `probe.model.versions.version_key` does; `version` is one, too."""
    release, local = f"regexp_extract({version}, '^[^+]*', 0)", f"regexp_extract({version}, '^[^+]*[+]?(.*)$', 1)"
    number, word = f"concat('{_NUMBER}', lpad(part, 12, '0'))", f"concat('{_WORD}', part, ' ')"
    placed = f"part -> if(part RLIKE '^[0-9]+$', {number}, {word})"
    parts = f"transform(regexp_extract_all({release}, '([0-9]+|[^0-9.]+)'), {placed})"
    return f"concat(array_join({parts}, ''), '{_END}{_LOCAL}', {local})"


def _ids(runs: Sequence[str]) -> Column:
    """Return all ids as one constant, which Spark evaluates once."""
    return F.split(F.lit(_BETWEEN.join(runs)), _BETWEEN)


def _outcomes() -> Column:
    return F.expr(OUTCOMES)
