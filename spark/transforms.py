"""Trials to cells, DataFrame -> DataFrame. Statistics only: what an outcome means was decided trial by trial.

A cell takes its row from the latest run in which a trial settles it. Trials that were only waited for settle
nothing, broken ones less: they make the row only where nothing else was judged, and clients that could not be had
only where there is no trial at all. Trials with a shortened watch never enter. Where the trials of that run
disagree the cell is `flaky`; its numbers are those of the commonest outcome (`agreeing` of `trials`), among equally
common ones the worse, as `Outcome` lists them.

Counting comes first and reads few columns; only the trials of the runs that were elected are measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Outcome, Reality
from spark.numbered import (
    PLACES,
    answer_hash,
    answers,
    cell_hash,
    number_runs,
    outcome_at,
    outcome_place,
    run_at,
    said_at,
    said_of,
)
from spark.schema import IDENTITY, MATRIX, NUMBERS, TRIAL, TRIAL_KEY, VERDICT, WORDS, Number
from spark.tables import ELECTED, SAID, SETTLED, VOTED

SETTLES, WAITED, BROKEN, ABSENT = 3, 2, 1, 0
UNSETTLED = {Outcome.WAITING: WAITED, Outcome.BROKEN: BROKEN, Outcome.NOT_RUN: ABSENT}
CELL_RUN = (*IDENTITY, "run_id")
_JUDGEMENT = tuple(name for name in VERDICT.names if name not in TRIAL_KEY)
_DEFAULTS: dict[str, bool | float | int | str] = {"shortened": False, "reality": Reality.EFFECTIVE.value, "rules": 0}
"""For columns that files of an older program lack."""
_WEIGHED, _VOTED, _PLACED, _LAST = 10**15, 10**3, 10, 99
"""Places of weight, votes and outcome in a rank, and the greatest place of an outcome."""
_FLAKY, _NOT_RUN = PLACES.index(Outcome.FLAKY), PLACES.index(Outcome.NOT_RUN)


def matrix(trials: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Turn trial rows (schema TRIAL) of all runs, in their order, into the matrix (schema MATRIX), unsorted."""
    entering = trials.transform(enter)
    votes = entering.transform(count_votes, runs)
    elected = votes.transform(settle).transform(elect, runs)
    return entering.transform(keep_agreeing, elected, votes, runs).transform(measure).transform(as_matrix)


def with_newest_verdicts(trials: DataFrame, verdicts: DataFrame) -> DataFrame:
    """Replace verdicts by re-judged ones (schema VERDICT and `seq` of their file) of the same or newer rules."""
    judged = F.struct(*_JUDGEMENT)
    newest = verdicts.groupBy(*TRIAL_KEY).agg(F.max_by(judged, F.struct("rules", "seq")).alias("newer"))
    is_newer = F.col("newer.rules") >= F.coalesce("rules", F.lit(0))
    return (
        trials.join(newest, list(TRIAL_KEY), "left")
        .withColumn("judged", F.when(is_newer, F.col("newer")).otherwise(judged))
        .select(*TRIAL_KEY, "judged.*", *(name for name in TRIAL.names if name not in VERDICT.names))
    )


def enter(trials: DataFrame) -> DataFrame:
    """Leave out trials with a shortened watch, and fill in what older programs did not store: TRIAL -> TRIAL."""
    return trials.fillna(_DEFAULTS).where(~F.col("shortened")).select(*TRIAL.names)


def count_votes(trials: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Count the trials of each outcome per cell and run: TRIAL -> VOTED."""
    said = said_of(F.col("conforms")).alias("said")
    hashed = trials.select(cell_hash(), answer_hash("run_id", "outcome").alias("answer"), said)
    counted = hashed.groupBy("cell", "answer").agg(F.count("*").alias("votes"), F.max("said").alias("said"))
    known = answers(trials.sparkSession, runs).withColumn("weight", weight_of(outcome_at(F.col("outcome"))))
    return counted.join(F.broadcast(known), "answer").select(*VOTED.names)


def settle(votes: DataFrame) -> DataFrame:
    """Say what each run alone makes of a cell: VOTED -> SETTLED."""
    by_weight = (F.sum(F.when(F.col("weight") == weight, F.col("votes"))) for weight in range(SETTLES + 1))
    ranked = votes.groupBy("cell", "run").agg(F.max(_rank()).alias("rank"), F.array(*by_weight).alias("trials"))
    rank, was_run = F.col("rank"), F.col("commonest") != _NOT_RUN
    is_flaky = F.col("agreeing") < F.col("trials")
    parted = ranked.withColumns(
        {
            "weight": _part(rank, _WEIGHED).cast("int"),
            "agreeing": _part(rank % _WEIGHED, _VOTED),
            "commonest": (_LAST - _part(rank % _VOTED, _PLACED)).cast("int"),
            "trials": F.get("trials", _part(rank, _WEIGHED).cast("int")),
        }
    )
    columns = {
        "outcome": F.when(is_flaky, _FLAKY).otherwise(F.col("commonest")),
        "said": F.when(is_flaky, 0).otherwise(rank % _PLACED).cast("int"),
        "trials": F.when(was_run, F.col("trials")).otherwise(0),
        "agreeing": F.when(was_run, F.col("agreeing")).otherwise(0),
    }
    return parted.select(*(columns.get(name, F.col(name)).alias(name) for name in SETTLED.names))


def elect(settled: DataFrame, runs: Sequence[str], newest: int = 0) -> DataFrame:
    """Choose the run that gives each cell its row, and what it was before the run `newest`: SETTLED -> ELECTED."""
    row = F.struct("weight", "run", *(name for name in SETTLED.names if name not in {"cell", "run", "weight"}))
    earlier = F.when(F.col("run") < newest, row)
    best = settled.groupBy("cell").agg(F.max(row).alias("best"), F.max(earlier).alias("earlier"))
    before = F.struct(*_in_words("earlier", SAID.names, runs))
    known = F.when(F.col("earlier").isNotNull(), before).alias("before")
    return best.select("cell", *_in_words("best", ELECTED.names[1:-1], runs), known)


def standing(matrix: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Return what an earlier matrix says, to be elected against newer runs: MATRIX -> SETTLED."""
    known = {
        "cell": cell_hash(),
        "run": F.col("run_id"),
        "weight": weight_of(F.col("outcome")),
        "outcome": outcome_place(),
        "commonest": F.lit(None).cast("int"),
        "said": said_of(F.col("conforms") == "yes"),
    }
    rows = matrix.select(*(known.get(name, F.col(name)).alias(name) for name in SETTLED.names))
    return number_runs(rows, "run", runs)


def keep_agreeing(trials: DataFrame, elected: DataFrame, votes: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Keep the trials behind each row, those of its run's commonest outcome; `tally` says how flaky ones disagree."""
    chosen = elected.select("cell", "run_id", "weight", "commonest", "trials", "agreeing", "outcome")
    flaky = chosen.where(F.col("outcome") == Outcome.FLAKY.value).select("cell", "run_id", "weight")
    vote = F.struct((-F.col("votes")).alias("minus"), "outcome", "votes")
    behind = votes.join(
        F.broadcast(number_runs(flaky.withColumnRenamed("run_id", "run"), "run", runs)), ["cell", "run", "weight"]
    )
    words = behind.withColumn("outcome", outcome_at(F.col("outcome")))
    tallies = words.groupBy("cell").agg(F.array_sort(F.collect_list(vote)).alias("tally"))
    rows = (
        chosen.drop("weight", "outcome")
        .withColumnRenamed("run_id", "elected")
        .join(F.broadcast(tallies), "cell", "left")
    )
    is_behind = (F.col("run_id") == F.col("elected")) & (F.col("outcome") == F.col("commonest"))
    return trials.withColumn("cell", cell_hash()).join(F.broadcast(rows), "cell").where(is_behind)


def measure(agreeing: DataFrame) -> DataFrame:
    """Sum up the agreeing trials of each cell: numbers, commonest words, lists."""
    carried = ("run_id", "outcome", "trials", "agreeing", "tally")
    return agreeing.groupBy("cell", *IDENTITY).agg(
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
    tally = F.concat_ws(", ", F.transform("tally", lambda vote: F.concat_ws(" ", vote.outcome, vote.votes)))
    disagreement = F.concat(F.col("trials"), F.lit(" trials disagree: "), tally)
    yes_or_no = F.when(F.col("conforms"), "yes").when(~F.col("conforms"), "no")
    columns = {
        "outcome": F.when(is_flaky, Outcome.FLAKY.value).otherwise(F.col("outcome")),
        "conforms": F.when(~is_flaky, yes_or_no),
        "reason": F.when(is_flaky, disagreement).otherwise(_text("reason")),
        "fault_codes": _joined(F.array_distinct(F.flatten("fault_codes"))),
        "api_versions": _joined(_highest_versions(F.flatten("api_versions"))),
        "storm": _joined(F.array_sort(F.array_distinct(F.split(F.concat_ws("", "storm"), ""))), ""),
    }
    return cells.select(
        *(columns.get(field.name, F.col(field.name)).cast(field.dataType).alias(field.name) for field in MATRIX)
    )


def weight_of(outcome: Column) -> Column:
    """Say how far an outcome settles a cell, 3 = it does."""
    weight = F.lit(SETTLES)
    for unsettled, less in UNSETTLED.items():
        weight = F.when(outcome == unsettled.value, less).otherwise(weight)
    return weight


def _rank() -> Column:
    """Order the outcomes of a cell by weight, votes, the worse, in one number: what Spark aggregates by hash."""
    place = _LAST - F.col("outcome")
    return F.col("weight") * F.lit(_WEIGHED) + F.col("votes") * _VOTED + place * _PLACED + F.col("said")


def _in_words(row: str, names: Sequence[str], runs: Sequence[str]) -> list[Column]:
    """Take columns of a settled row in words."""
    said = {
        "run_id": run_at(runs, F.col(f"{row}.run")),
        "outcome": outcome_at(F.col(f"{row}.outcome")),
        "commonest": outcome_at(F.col(f"{row}.commonest")),
        "conforms": said_at(F.col(f"{row}.said")),
    }
    return [(said[name] if name in said else F.col(f"{row}.{name}")).alias(name) for name in names]


def _part(number: Column, unit: int) -> Column:
    """Divide positive whole numbers, exactly."""
    return ((number - number % unit) / unit).cast("bigint")


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
