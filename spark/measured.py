"""The trials behind a row of the matrix, summed up: numbers, commonest words, lists. DataFrame -> DataFrame.

A cell's trials are gathered once, in one list: a dozen aggregates that each keep an object for every cell cost Spark
several times as much.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses
from pyspark.sql.types import ArrayType, LongType, StructField, StructType

from probe.model import Outcome
from spark.numbered import outcome_place
from spark.schema import IDENTITY, MATRIX, NUMBERS, TIMES, TRIAL, WORDS, Number, columns

_COMMON = (*IDENTITY, "run_id")
_GREATEST = ("reality", "released", "mirrors")
_LISTS = ("fault_codes", "api_versions", "storm")
_TOLD = (
    *("trial", "reason", "outcome", "conforms", "recovered", *TIMES),
    *dict.fromkeys(number.of for number in NUMBERS if number.of not in TIMES),
    *(*WORDS, *_GREATEST, *_LISTS),
)
"""What a trial tells, `trial` first: the first trial has the least number."""
_TRIALS = ArrayType(StructType([TRIAL[name] for name in _TOLD]))
_VOTES = ArrayType(columns("minus INT, outcome STRING, votes INT"))
GATHERED = StructType(
    [
        StructField("cell", LongType()),
        StructField("common", StructType([TRIAL[name] for name in _COMMON])),
        StructField("told", _TRIALS),
    ]
)
"""A cell, what its trials have in common, and what each of them tells."""
BEHIND = StructType(
    [
        StructField("cell", LongType()),
        *(TRIAL[name] for name in (*_COMMON, "outcome")),
        StructField("tally", _VOTES),
        *columns("trials BIGINT, agreeing BIGINT").fields,
        StructField("told", _TRIALS),
    ]
)
"""The same with the trials that agree, the votes of every outcome, and how many of how many trials they are."""
_SHARES = {"median": 0.5, "p95": 0.95}


def gathered() -> tuple[Column, ...]:
    """Return the aggregates of the trials of a cell: what they have in common, and the list of what each tells."""
    return F.any_value(F.struct(*_COMMON)).alias("common"), F.collect_list(F.struct(*_TOLD)).alias("told")


def keep_agreeing(cells: DataFrame) -> DataFrame:
    """Keep the trials with each cell's commonest outcome, of equally common ones the worse: GATHERED -> BEHIND."""
    counted = F.transform(F.array_distinct("told.outcome"), _votes)
    told = cells.withColumn("tally", F.array_sort(counted))
    best = F.array_min(F.transform("tally", _ranked)).getField("vote")
    agreeing = F.filter("told", lambda trial: trial.outcome == F.col("commonest.outcome"))
    was_run = F.col("commonest.outcome") != Outcome.NOT_RUN.value
    found = {
        **{name: F.col(f"common.{name}") for name in _COMMON},
        "outcome": F.col("commonest.outcome"),
        "trials": F.when(was_run, F.size("told")).otherwise(0).cast("bigint"),
        "agreeing": F.when(was_run, F.col("commonest.votes")).otherwise(0).cast("bigint"),
        "told": agreeing,
    }
    return told.withColumn("commonest", best).select(
        *(found.get(name, F.col(name)).alias(name) for name in BEHIND.names)
    )


def _votes(outcome: Column) -> Column:
    votes = F.size(F.filter("told", lambda trial: trial.outcome == outcome))
    return F.struct((-votes).alias("minus"), outcome.alias("outcome"), votes.alias("votes"))


def _ranked(vote: Column) -> Column:
    return F.struct(vote.minus.alias("minus"), outcome_place(vote.outcome).alias("place"), vote.alias("vote"))


def measure(behind: DataFrame) -> DataFrame:
    """Sum up the agreeing trials of each cell: numbers, commonest words, lists; BEHIND -> what `as_matrix` takes."""
    return behind.select(
        *("cell", *_COMMON, "outcome", "tally", "trials", "agreeing"),
        *(_number(number) for number in NUMBERS),
        *(_commonest(_all(name)).alias(name) for name in WORDS),
        *(_text(F.array_max(_all(name))).alias(name) for name in _GREATEST),
        *(F.array_min(_all(name)).alias(name) for name in ("conforms", "recovered")),  # true only where all are
        F.array_min("told").getField("reason").alias("reason"),
        *(_every(name).alias(name) for name in _LISTS),
    )


def as_matrix(cells: DataFrame) -> DataFrame:
    """Say `flaky` where trials disagree, join lists, and keep exactly the matrix's columns."""
    is_flaky = F.col("agreeing") < F.col("trials")
    tally = F.concat_ws(", ", F.transform("tally", lambda vote: F.concat_ws(" ", vote.outcome, vote.votes)))
    disagreement = F.concat(F.col("trials"), F.lit(" trials disagree: "), tally)
    yes_or_no = F.when(F.col("conforms"), "yes").when(~F.col("conforms"), "no")
    found = {
        "outcome": F.when(is_flaky, Outcome.FLAKY.value).otherwise(F.col("outcome")),
        "conforms": F.when(~is_flaky, yes_or_no),
        "reason": F.when(is_flaky, disagreement).otherwise(_text(F.col("reason"))),
        "fault_codes": _joined(F.array_distinct(F.flatten("fault_codes"))),
        "api_versions": _joined(_highest_versions(F.flatten("api_versions"))),
        "storm": _joined(F.array_sort(F.array_distinct(F.split(F.concat_ws("", "storm"), ""))), ""),
    }
    return cells.select(
        *(found.get(field.name, F.col(field.name)).cast(field.dataType).alias(field.name) for field in MATRIX)
    )


def _all(name: str) -> Column:
    """Return what all trials of a cell tell, null where it does not apply."""
    return F.col(f"told.{name}")


def _every(name: str) -> Column:
    """Return the different ones in their order."""
    return F.sort_array(F.array_distinct(F.array_compact(_all(name))))


def _text(text: Column) -> Column:
    """Empty text does not count: it means that the column does not apply."""
    return F.nullif(text, F.lit(""))


def _number(number: Number) -> Column:
    values = _all(number.of)
    if number.how in _SHARES:
        value = _percentile(values, _SHARES[number.how])
    else:
        value = F.array_min(values) if number.how == "min" else F.array_max(values)
        if isinstance(TRIAL[number.of].dataType, LongType):
            return value.alias(number.column)
    exact = F.round(value.cast("double"), 6)  # what is left of binary fractions must not decide the last digit
    return (F.round(exact, 1) if number.rate else F.floor(exact + 0.5)).alias(number.column)


def _percentile(values: Column, share: float) -> Column:
    """Interpolate linearly between the two values beside the place; null where there is none."""
    ordered = F.sort_array(F.array_compact(values))
    place = (F.size(ordered) - 1) * F.lit(share)
    low = F.floor(place)
    below, above = (F.get(ordered, nth.cast("int")) for nth in (low, F.ceil(place)))
    return below + (above - below) * (place - low)


def _commonest(words: Column) -> Column:
    """Return the commonest word, of equally common ones the first."""
    told = F.filter(words, lambda word: word != "")

    def counted(word: Column) -> Column:
        votes = F.size(F.filter(told, lambda other: other == word))
        return F.struct((-votes).alias("minus"), word.alias("word"))

    return F.array_min(F.transform(F.array_distinct(told), counted)).getField("word")


def _highest_versions(pairs: Column) -> Column:
    def highest(api: Column) -> Column:
        mine = F.filter(pairs, lambda pair: pair.api == api)
        return F.concat_ws("=", api, F.array_max(F.transform(mine, lambda pair: pair.version)))

    return F.transform(F.array_distinct(F.transform(pairs, lambda pair: pair.api)), highest)


def _joined(items: Column, between: str = ";") -> Column:
    """Join a list; an empty one does not apply."""
    return F.nullif(F.array_join(items, between), F.lit(""))
