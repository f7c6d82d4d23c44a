"""Statistics of cells, DataFrame -> DataFrame: flake rates, distributions of times, agreement of the engines."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Engine
from probe.model.columns import TIMES
from probe.model.intervals import Z_95, wilson
from probe.model.outcomes import NO_ANSWER
from probe.model.profile import ELECTION
from spark.conditions import settling_tier, since_of, span
from spark.encoding import outcome_at
from spark.schema import IDENTITY
from spark.tables import AGREEMENT, EDGES, TALLIED, TIMINGS

_REPORTED = ("outcome", "conforms", "refresh_ms_p50", "recovery_ms_p50", "conditions", "first", "end")


def tally(votes: DataFrame) -> DataFrame:
    """Count the trials that settle their cells, over all runs: VOTED -> TALLIED."""
    settling = votes.where(F.col("tier") >= settling_tier()).withColumn("conditions", since_of(F.col("tier")))
    counted = settling.groupBy("cell", "conditions", "outcome").agg(F.sum("votes").alias("trials"))
    return counted.withColumn("outcome", outcome_at(F.col("outcome"))).select(*TALLIED.names)


def add_up(tallies: DataFrame) -> DataFrame:
    """Add up the tallies of several ranges of runs: TALLIED -> TALLIED."""
    return tallies.groupBy("cell", "conditions", "outcome").agg(F.sum("trials").alias("trials")).select(*TALLIED.names)


def flake_rates(tallies: DataFrame) -> DataFrame:
    """Return how often trials differ from the commonest outcome of their cell: TALLIED -> FLAKES, by `cell`.

    Only trials under the newest conditions of a cell count.
    """
    commonest = F.max_by("outcome", F.struct("trials", "outcome"))
    counts = tallies.groupBy("cell", "conditions").agg(
        commonest.alias("commonest"),
        F.sum("trials").alias("trials"),
        (F.sum("trials") - F.max("trials")).alias("differing"),
    )
    newest = counts.groupBy("cell").agg(F.max(F.struct("conditions", "commonest", "trials", "differing")).alias("one"))
    counted = newest.select("cell", "one.*")
    rate = F.col("differing") / F.col("trials")
    low, high = wilson(F.col("differing"), F.col("trials"), Z_95, F.sqrt)
    low, high = F.greatest(low, F.lit(0.0)), F.least(high, F.lit(1.0))
    return counted.select(
        "*",
        *(F.round(value, 6).alias(name) for name, value in (("rate", rate), ("rate_low", low), ("rate_high", high))),
    )


def timings(agreeing: DataFrame) -> DataFrame:
    """Return the distributions of times over the trials behind every row: SUPPORTING -> TIMINGS."""
    trials = agreeing.select(*IDENTITY, "run_id", F.explode("reported").alias("trial"))
    times = (
        F.struct(F.lit(name.removesuffix("_ms")).alias("measure"), F.col(f"trial.{name}").alias("ms")) for name in TIMES
    )
    reported = trials.select(*IDENTITY, "run_id", F.explode(F.array(*times)).alias("time")).select(
        *IDENTITY, "run_id", "time.*"
    )
    described = reported.where(F.col("ms").isNotNull()).groupBy(*IDENTITY, "run_id", "measure")
    return described.agg(F.count("*").alias("trials"), *distribution("ms")).select(*TIMINGS.names)


def distribution(name: str, prefix: str = "") -> list[Column]:
    """Return minimum, percentiles (interpolated linearly) and maximum of a time in ms, and counts by `EDGES`."""
    ms = F.col(name)
    shares: Mapping[str, float] = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
    found = F.percentile(ms, F.array(*(F.lit(share) for share in shares.values())))
    numbers = {"min": F.min(ms), **{key: found.getItem(nth) for nth, key in enumerate(shares)}, "max": F.max(ms)}
    return [
        *(F.round(value, 3).alias(f"{prefix}{key}_ms") for key, value in numbers.items()),
        buckets(ms).alias("buckets"),
    ]


def buckets(ms: Column) -> Column:
    """Return the counts of times by `EDGES`."""
    lows = (float("-inf"), *EDGES[:-1])
    within = [F.count_if((ms > low) & (ms <= high)) for low, high in zip(lows, EDGES, strict=True)]
    return F.array(*within, F.count_if(ms > EDGES[-1]))


def agreement(matrix: DataFrame) -> DataFrame:
    """Pair the cells of both engines: MATRIX -> AGREEMENT. The embedded election may be set to a measured one.

    Cells whose spans of conditions do not overlap neither agree nor disagree.
    """
    question = tuple(name for name in IDENTITY if name != "engine")
    first, end = span()
    spanned = matrix.withColumns({"first": first, "end": end})
    asked = spanned.withColumn("embedded_profile", F.col("profile"))
    embedded = asked.withColumn("profile", plain_profile(F.col("profile")))
    ours = _side(embedded, Engine.EMBEDDED).select(*question, "embedded_profile", *_named(Engine.EMBEDDED))
    theirs = _side(spanned, Engine.KAFKA).select(*question, *_named(Engine.KAFKA))
    both = ours.join(theirs, list(question))
    silent = [outcome.value for outcome in NO_ANSWER]
    is_silent = F.col("embedded_outcome").isin(silent) | F.col("kafka_outcome").isin(silent)
    overlap = (F.col("embedded_first") < F.col("kafka_end")) & (F.col("kafka_first") < F.col("embedded_end"))
    same = F.col("embedded_outcome") == F.col("kafka_outcome")
    agrees = F.when(is_silent | ~overlap, None).when(same, "yes").otherwise("no")
    return both.withColumn("agrees", agrees).select(*AGREEMENT.names)


def plain_profile(profile: Column) -> Column:
    """Return a written profile without its election, as `probe.model.profile.without_election` does."""
    return F.regexp_replace(profile, ELECTION, "$1")


def _side(cells: DataFrame, engine: Engine) -> DataFrame:
    return cells.where(F.col("engine") == engine.value)


def _named(engine: Engine) -> list[Column]:
    return [*(F.col(name).alias(f"{engine}_{name}") for name in _REPORTED), F.col("run_id").alias(f"{engine}_run")]
