"""Stretches of versions of a family with the same answer, DataFrame -> DataFrame."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model.outcomes import UNSETTLED
from spark.conditions import span
from spark.encoding import version_place
from spark.schema import IDENTITY
from spark.tables import VERSIONS

QUESTION = tuple(name for name in IDENTITY if name != "version")
_ASKED = (*QUESTION, "conditions")


def version_stretches(matrix: DataFrame) -> DataFrame:
    """Find the consecutive measured versions with the same answer to a question: MATRIX -> VERSIONS.

    Versions whose cell is not settled (waiting, broken, not run) are left out: they neither end nor extend a stretch.
    Versions under conditions that are not comparable are in stretches of their own.
    `unmeasured` lists the known versions between a stretch and the preceding one: such versions, and those that were
    not measured. The change is in one of them or in `first_version`.
    """
    by_version = Window.partitionBy(*_ASKED).orderBy("place")
    answer = F.struct("outcome", "conforms")
    goes_on = F.lag(answer).over(by_version).eqNullSafe(answer)
    settled = matrix.where(~F.col("outcome").isin([outcome.value for outcome in UNSETTLED]))
    place = F.expr(version_place("version"))
    placed = settled.withColumns({"place": place, "conditions": span()[0]})
    every = matrix.groupBy("family").agg(F.collect_set(F.struct(place.alias("place"), "version")))
    known = every.toDF("family", "known")
    numbered = placed.withColumn("nth", F.sum(F.when(goes_on, 0).otherwise(1)).over(by_version))
    stretches = numbered.groupBy(*_ASKED, "nth", "outcome", "conforms").agg(
        F.min_by("version", "place").alias("first_version"),
        F.max_by("version", "place").alias("last_version"),
        F.min_by("released", "place").alias("first_released"),
        F.min("place").alias("first_place"),
        F.max("place").alias("last_place"),
        F.count("*").alias("versions"),
    )
    by_turn = Window.partitionBy(*_ASKED).orderBy("nth")
    with_previous = stretches.withColumns(
        {
            "newest": F.col("nth") == F.max("nth").over(Window.partitionBy(*_ASKED)),
            "before": F.lag("last_place").over(by_turn),
        }
    )
    return with_previous.join(F.broadcast(known), "family").withColumn("unmeasured", _between()).select(*VERSIONS.names)


def _between() -> Column:
    """Return the known versions between `before` and `first_place`, ascending; null if there is none."""
    inside = F.filter("known", lambda one: (one.place > F.col("before")) & (one.place < F.col("first_place")))
    return F.nullif(F.array_join(F.transform(F.array_sort(inside), lambda one: one.version), ";"), F.lit(""))
