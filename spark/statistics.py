"""Statistics of cells, DataFrame -> DataFrame: flake rates, distributions of times, agreement of the engines."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Engine
from probe.model.columns import TIMES
from probe.model.intervals import Z_95, wilson
from probe.model.outcomes import NO_ANSWER
from probe.model.profile import ELECTION_KEY, OWN_KEYS
from spark.conditions import settling_tier, since_of, span
from spark.encoding import outcome_at
from spark.measures import interpolated
from spark.schema import IDENTITY
from spark.tables import AGREEMENT, EDGES, TALLIED, TIMINGS

SHARES: Mapping[str, float] = MappingProxyType({"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99})
"""Percentiles of a distribution."""
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
    """Return the distributions of times over the trials behind every row: SUPPORTING -> TIMINGS.

    The trials of a row are one list already, so nothing is grouped; that would take several times as long.
    """
    times = ", ".join(
        f"struct('{name.removesuffix('_ms')}' measure, sort_array(array_compact(reported.{name})) ms)" for name in TIMES
    )
    listed = agreeing.selectExpr(*IDENTITY, "run_id", f"explode(array({times})) time")
    described = listed.where("size(time.ms) > 0").selectExpr(*IDENTITY, "run_id", "time.measure measure", "time.ms ms")
    found = {
        "trials": "CAST(size(ms) AS BIGINT)",
        "min_ms": "round(CAST(ms[0] AS DOUBLE), 3)",
        **{f"{name}_ms": f"round({interpolated('ms', share)}, 3)" for name, share in SHARES.items()},
        "max_ms": "round(CAST(element_at(ms, -1) AS DOUBLE), 3)",
        "buckets": _buckets(),
    }
    return described.selectExpr(*(f"{found.get(name, name)} {name}" for name in TIMINGS.names))


def _buckets() -> str:
    """Return the counts of the list `ms` by `EDGES`, as `buckets` does."""
    lows, highs = (", ".join(f"{edge}D" for edge in edges) for edges in (EDGES, EDGES[1:]))
    lows, highs = f"array(double('-inf'), {lows})", f"array({EDGES[0]}D, {highs}, double('inf'))"
    inside = f"size(filter(ms, one -> one > low AND one <= {highs}[nth]))"
    return f"transform({lows}, (low, nth) -> CAST({inside} AS BIGINT))"


def distribution(name: str, prefix: str = "") -> list[Column]:
    """Return minimum, percentiles (interpolated linearly) and maximum of a time in ms, and counts by `EDGES`."""
    ms = F.col(name)
    found = F.percentile(ms, F.array(*(F.lit(share) for share in SHARES.values())))
    numbers = {"min": F.min(ms), **{key: found.getItem(nth) for nth, key in enumerate(SHARES)}, "max": F.max(ms)}
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
    return F.regexp_replace(profile, OWN_KEYS[ELECTION_KEY].pattern, "$1")


def _side(cells: DataFrame, engine: Engine) -> DataFrame:
    return cells.where(F.col("engine") == engine.value)


def _named(engine: Engine) -> list[Column]:
    return [*(F.col(name).alias(f"{engine}_{name}") for name in _REPORTED), F.col("run_id").alias(f"{engine}_run")]
