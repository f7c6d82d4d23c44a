"""Trials to cells, DataFrame -> DataFrame. Statistics only: what an outcome means was decided trial by trial.

A cell takes its row from the latest run in which a trial settles it. Trials that were only waited for settle
nothing, broken ones less: they make the row only where nothing else was judged, and clients that could not be had
only where there is no trial at all. Trials with a shortened watch never enter. Where the trials of that run
disagree the cell is `flaky`; its numbers are those of the commonest outcome (`agreeing` of `trials`), among equally
common ones the worse, as `Outcome` lists them.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Outcome
from spark.schema import IDENTITY, MATRIX, NUMBERS, TRIAL, TRIAL_KEY, VERDICT, WORDS, Number

SETTLES, WAITED, BROKEN, ABSENT = 3, 2, 1, 0
_WEIGHT = {Outcome.WAITING: WAITED, Outcome.BROKEN: BROKEN, Outcome.NOT_RUN: ABSENT}
_JUDGEMENT = tuple(name for name in VERDICT.names if name not in TRIAL_KEY)


def matrix(trials: DataFrame) -> DataFrame:
    """Turn trial rows (schema TRIAL) into the matrix (schema MATRIX), unsorted."""
    entering = trials.where(~F.col("shortened"))
    settled = entering.transform(count_votes).transform(settle)
    return entering.transform(keep_agreeing, settled).transform(measure).transform(as_matrix)


def with_newest_verdicts(trials: DataFrame, verdicts: DataFrame) -> DataFrame:
    """Replace verdicts by re-judged ones (schema VERDICT and `seq` of their file) of the same or newer rules."""
    judged = F.struct(*_JUDGEMENT)
    newest = verdicts.groupBy(*TRIAL_KEY).agg(F.max_by(judged, F.struct("rules", "seq")).alias("newer"))
    is_newer = F.col("newer.rules") >= F.col("rules")
    return (
        trials.join(newest, list(TRIAL_KEY), "left")
        .withColumn("judged", F.when(is_newer, F.col("newer")).otherwise(judged))
        .select(*TRIAL_KEY, "judged.*", *(name for name in TRIAL.names if name not in VERDICT.names))
    )


def count_votes(trials: DataFrame) -> DataFrame:
    """Count the trials of each outcome per cell and run: `votes`."""
    return trials.groupBy(*IDENTITY, "run_id", "outcome").agg(F.count("*").alias("votes"))


def settle(votes: DataFrame) -> DataFrame:
    """Choose each cell's run and commonest outcome: `run_id`, `outcome`, `trials`, `agreeing`, `tally`."""
    rank = F.struct(_weight().alias("weight"), F.col("run_id"))
    best = F.max(rank).over(Window.partitionBy(*IDENTITY))
    commonest = F.struct(F.col("votes"), -F.array_position(_outcomes(), F.col("outcome")))
    tally = F.array_sort(F.collect_list(F.struct((-F.col("votes")).alias("minus"), "outcome", "votes")))
    return (
        votes.withColumn("rank", rank)
        .withColumn("best", best)
        .where(F.col("rank") == F.col("best"))
        .groupBy(*IDENTITY, "run_id")
        .agg(
            F.max_by("outcome", commonest).alias("outcome"),
            F.sum("votes").alias("trials"),
            F.max("votes").alias("agreeing"),
            F.concat_ws(", ", F.transform(tally, lambda vote: F.concat_ws(" ", vote.outcome, vote.votes))).alias(
                "tally"
            ),
        )
    )


def keep_agreeing(trials: DataFrame, settled: DataFrame) -> DataFrame:
    """Keep the trials that have their cell's commonest outcome in its chosen run."""
    return trials.join(F.broadcast(settled), [*IDENTITY, "run_id", "outcome"])


def measure(agreeing: DataFrame) -> DataFrame:
    """Sum up the agreeing trials of each cell: numbers, commonest words, lists."""
    carried = ("run_id", "outcome", "trials", "agreeing", "tally")
    return agreeing.groupBy(*IDENTITY).agg(
        *(F.any_value(name).alias(name) for name in carried),
        *(_number(number) for number in NUMBERS),
        *(F.mode(_text(name), True).alias(name) for name in WORDS),  # True: ties go to the first word
        *(F.max(_text(name)).alias(name) for name in ("reality", "released", "mirrors")),
        F.bool_and("conforms").alias("conforms"),
        F.bool_and("recovered").alias("recovered"),
        F.min(F.struct("trial", "reason")).getField("reason").alias("reason"),
        F.array_sort(F.collect_set("fault_codes")).alias("fault_codes"),
        F.array_sort(F.collect_set("api_versions")).alias("api_versions"),
        F.collect_set("storm").alias("storm"),
    )


def as_matrix(cells: DataFrame) -> DataFrame:
    """Say `flaky` where trials disagree, join lists, and keep exactly the matrix's columns."""
    is_flaky = F.col("agreeing") < F.col("trials")
    was_run = F.col("outcome") != Outcome.NOT_RUN.value
    disagreement = F.concat(F.col("trials"), F.lit(" trials disagree: "), F.col("tally"))
    yes_or_no = F.when(F.col("conforms"), "yes").when(~F.col("conforms"), "no")
    columns = {
        "outcome": F.when(is_flaky, Outcome.FLAKY.value).otherwise(F.col("outcome")),
        "conforms": F.when(~is_flaky, yes_or_no),
        "reason": F.when(is_flaky, disagreement).otherwise(_text("reason")),
        "trials": F.when(was_run, F.col("trials")).otherwise(0),
        "agreeing": F.when(was_run, F.col("agreeing")).otherwise(0),
        "fault_codes": _joined(F.array_distinct(F.flatten("fault_codes"))),
        "api_versions": _joined(_highest_versions(F.flatten("api_versions"))),
        "storm": _joined(F.array_sort(F.array_distinct(F.split(F.concat_ws("", "storm"), ""))), ""),
    }
    return cells.select(
        *(columns.get(field.name, F.col(field.name)).cast(field.dataType).alias(field.name) for field in MATRIX)
    )


def _weight() -> Column:
    weight = F.lit(SETTLES)
    for outcome, less in _WEIGHT.items():
        weight = F.when(F.col("outcome") == outcome.value, less).otherwise(weight)
    return weight


def _outcomes() -> Column:
    return F.array(*(F.lit(outcome.value) for outcome in Outcome))


def _text(name: str) -> Column:
    """Empty text does not count: it means that the column does not apply."""
    return F.nullif(F.col(name), F.lit(""))


def _number(number: Number) -> Column:
    column = F.col(number.of)
    value = {
        "min": lambda: F.min(column),
        "max": lambda: F.max(column),
        "median": lambda: _percentiles(column).getItem(0),
        "p95": lambda: _percentiles(column).getItem(1),
    }[number.how]()
    exact = F.round(value.cast("double"), 6)  # what is left of binary fractions must not decide the last digit
    return (F.round(exact, 1) if number.rate else F.floor(exact + 0.5)).alias(number.column)


def _percentiles(column: Column) -> Column:
    """Median and 95th percentile, interpolated linearly; equal aggregates are computed once."""
    return F.percentile(column, F.array(F.lit(0.5), F.lit(0.95)))


def _highest_versions(pairs: Column) -> Column:
    def highest(api: Column) -> Column:
        mine = F.filter(pairs, lambda pair: pair.api == api)
        return F.concat_ws("=", api, F.array_max(F.transform(mine, lambda pair: pair.version)))

    return F.transform(F.array_distinct(F.transform(pairs, lambda pair: pair.api)), highest)


def _joined(items: Column, between: str = ";") -> Column:
    """Join a list; an empty one does not apply."""
    return F.nullif(F.array_join(items, between), F.lit(""))
