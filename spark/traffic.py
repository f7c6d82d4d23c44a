"""Summarize event rows as the load of brokers, DataFrame -> DataFrame: requests, bytes, time to the first request.

Counts cover the time from the fault to its end, for the broker that failed and for all others. There are no rules about
Kafka here: the verdict decides which request was a discovery and why it was sent (`refresh_ms`).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from spark.aggregate import CELL_RUN
from spark.schema import TRIAL_KEY
from spark.statistics import buckets
from spark.tables import TRAFFIC

REVERTED = ("healing", "stopping", "end")
"""Milestones of which the first ends the count."""
FRAMES = ("request", "response", "folded")
_SECOND = 1_000_000
_PER_TRIAL = (*TRIAL_KEY, "span_s", "failing", "api")


def traffic(events: DataFrame, headers: DataFrame) -> DataFrame:
    """Turn event rows (schema EVENT) and the headers of their trials (schema HEADER) into TRAFFIC."""
    spans = events.transform(find_spans).join(headers.transform(failing_brokers), list(TRIAL_KEY))
    return events.transform(count_frames, spans).transform(add_up_trials).transform(sum_up_cells)


def read_sizes(events: DataFrame) -> DataFrame:
    """Fill in `size` and `requests` from the JSON of events, for older files that lack these columns."""
    kind = F.col("kind")
    requests = F.when(kind == "request", 1).when(kind == "folded", _json("requests"))
    size = F.when(kind == "folded", _json("bytes")).otherwise(_json("size"))
    return events.withColumns({"requests": F.coalesce("requests", requests), "size": F.coalesce("size", size)})


def find_spans(events: DataFrame) -> DataFrame:
    """Return the fault and its end per trial, `begin` and `until` in microseconds; trials without a fault have none."""
    begin = F.min(F.when(F.col("kind") == "fault_on", F.col("at")))
    until = F.min(F.when(F.col("kind").isin(*REVERTED), F.col("at")))
    marked = events.where(F.col("kind").isin("fault_on", *REVERTED)).groupBy(*TRIAL_KEY)
    return marked.agg(begin.alias("begin"), until.alias("until")).where(F.col("begin") < F.col("until"))


def failing_brokers(headers: DataFrame) -> DataFrame:
    """Return the failing broker per trial (`old`), -1 if none fails."""
    old = F.coalesce(F.get_json_object("header", "$.subject.old").cast("int"), F.lit(-1))
    return headers.where(F.col("header").isNotNull()).select(*TRIAL_KEY, old.alias("old"))


def count_frames(events: DataFrame, spans: DataFrame) -> DataFrame:
    """Count requests and bytes (in both directions, as in folded frames) per trial, API and second."""
    frames = events.where(F.col("kind").isin(*FRAMES)).join(F.broadcast(spans), list(TRIAL_KEY))
    within = frames.where((F.col("at") >= F.col("begin")) & (F.col("at") < F.col("until")))
    kind = F.col("kind")
    asked = F.when(kind != "response", (F.col("at") - F.col("begin")) / 1000)
    per_second = within.select(
        *TRIAL_KEY,
        ((F.col("until") - F.col("begin")) / _SECOND).alias("span_s"),
        (F.col("node") == F.col("old")).alias("failing"),
        "api",
        F.floor((F.col("at") - F.col("begin")) / _SECOND).alias("second"),
        F.coalesce("requests", F.lit(0)).alias("requests"),
        F.coalesce("size", F.lit(0)).alias("bytes"),
        asked.alias("asked"),
    ).groupBy(*_PER_TRIAL, "second")
    return per_second.agg(
        F.sum("requests").alias("requests"), F.sum("bytes").alias("bytes"), F.min("asked").alias("first_ms")
    )


def add_up_trials(seconds: DataFrame) -> DataFrame:
    """Add up the seconds of every trial; rows with responses only (to requests before the fault) are dropped."""
    return (
        seconds.groupBy(*_PER_TRIAL)
        .agg(
            F.sum("requests").alias("requests"),
            F.max("requests").alias("busiest"),
            F.sum("bytes").alias("bytes"),
            F.min("first_ms").alias("first_ms"),
        )
        .where(F.col("requests") > 0)
    )


def sum_up_cells(per_trial: DataFrame) -> DataFrame:
    """Summarize the trials per cell and run."""
    first, shares = F.col("first_ms"), F.array(F.lit(0.5), F.lit(0.95))
    found = per_trial.groupBy(*CELL_RUN, "failing", "api").agg(
        F.count("*").alias("trials"),
        F.sum("requests").alias("requests"),
        F.sum("bytes").alias("bytes"),
        F.round(F.median(F.col("requests") / F.col("span_s")), 3).alias("per_s_p50"),
        F.max("busiest").alias("per_s_max"),
        F.round(F.median(F.col("bytes") / F.col("span_s")), 3).alias("bytes_per_s_p50"),
        F.round(F.min(first), 3).alias("first_ms_min"),
        F.round(F.percentile(first, shares).getItem(0), 3).alias("first_ms_p50"),
        F.round(F.percentile(first, shares).getItem(1), 3).alias("first_ms_p95"),
        F.round(F.max(first), 3).alias("first_ms_max"),
        buckets(first).alias("buckets"),
    )
    return found.select(*TRAFFIC.names)


def _json(name: str) -> Column:
    return F.get_json_object("data", f"$.{name}").cast("bigint")
