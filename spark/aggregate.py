"""Settle trials into cells, DataFrame -> DataFrame. Statistics only: every trial has its outcome already.

The latest run in which a trial settles a cell under the newest conditions gives the cell its row. Trials that wait have
a lower weight, broken trials a lower one still: they give the row only if the cell has no settling trial. Cells of
clients that are not available come last. Trials with a shortened observation and those of sweeps are left out. A cell
is `flaky` if the trials of that run disagree. Its numbers are then those of the commonest outcome (`agreeing` of
`trials`); among equally common outcomes the worse counts, in the order of `Outcome`. What the cell is worth is decided
by its worst trial, in the order of `probe.model.outcomes`.

Only runs that can give a cell its row are counted and measured; `latest` finds them and reads few columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model import Outcome, Reality
from probe.model.conditions import FIRST
from spark.conditions import tier, tiers
from spark.encoding import (
    PLACES,
    answer_hash,
    answer_rank,
    answers,
    cell_hash,
    conformity_at,
    conformity_code,
    number_runs,
    outcome_at,
    outcome_place,
    rank_place,
    run_at,
    run_hash,
    run_hashes,
)
from spark.measures import GATHERED, as_matrix, gathered, keep_agreeing, measure
from spark.schema import IDENTITY, TRIAL, TRIAL_KEY, VERDICT
from spark.tables import EARLIER, ELECTED, LATEST, SETTLED, VOTED

CELL_RUN = (*IDENTITY, "run_id")
_JUDGEMENT = tuple(name for name in VERDICT.names if name not in TRIAL_KEY)
_DEFAULTS: dict[str, bool | float | int | str] = {
    "shortened": False,
    "sweep": "",
    "reality": Reality.EFFECTIVE.value,
    "rules": 0,
    "conditions": FIRST,
}
"""Defaults for columns that files of an older program lack."""
_WEIGHED, _VOTED, _LAST = 10**15, 10**3, 99
"""Factors of tier and votes in a rank, and the greatest number of an outcome."""
_RANKED, _CODED = 10**3, 10
"""Factors of the tier in the rank of an answer and in the number of a conformity."""
_RUNS = 10**9
"""Factor of the tier in the rank of a run; greater than the number of runs."""
_FLAKY, _NOT_RUN = PLACES.index(Outcome.FLAKY), PLACES.index(Outcome.NOT_RUN)


def matrix(trials: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Turn trial rows (schema TRIAL) of all `runs` (oldest first) into the matrix (schema MATRIX), unsorted."""
    entering = trials.transform(enter)
    behind = entering.transform(gather, entering.transform(latest, runs), runs).transform(keep_agreeing)
    return behind.transform(measure).transform(as_matrix)


def with_newest_verdicts(trials: DataFrame, verdicts: DataFrame) -> DataFrame:
    """Replace verdicts by newer ones (schema VERDICT and `seq` of the file) of the same or newer rules."""
    judged = F.struct(*_JUDGEMENT)
    newest = verdicts.groupBy(*TRIAL_KEY).agg(F.max_by(judged, F.struct("rules", "seq")).alias("newer"))
    is_newer = F.col("newer.rules") >= F.coalesce("rules", F.lit(0))
    return (
        trials.join(newest, list(TRIAL_KEY), "left")
        .withColumn("judged", F.when(is_newer, F.col("newer")).otherwise(judged))
        .select(*TRIAL_KEY, "judged.*", *(name for name in TRIAL.names if name not in VERDICT.names))
    )


def enter(trials: DataFrame) -> DataFrame:
    """Leave out shortened observations and sweeps, and fill in columns of older files: TRIAL -> TRIAL."""
    return trials.fillna(_DEFAULTS).where(~F.col("shortened") & (F.col("sweep") == "")).select(*TRIAL.names)


def latest(trials: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Rank the best run of every cell, and the best run before the newest one: TRIAL -> LATEST."""
    weighed = trials.select(cell_hash(), run_hash("run_id").alias("hash"), tier().alias("tier"))
    numbered = weighed.join(F.broadcast(run_hashes(trials.sparkSession, runs)), "hash")
    rank = _run_rank()
    earlier = F.when(F.col("run") < len(runs) - 1, rank)
    ranked = numbered.groupBy("cell").agg(F.max(rank).alias("best"), F.max(earlier).alias("earlier"))
    return ranked.select(*LATEST.names)


def latest_of(matrix: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Rank the runs behind an earlier matrix, all of them older than the newest run: MATRIX -> LATEST."""
    weighed = matrix.select(cell_hash(), F.col("run_id").alias("run"), tier().alias("tier"))
    rank = _run_rank()
    return number_runs(weighed, "run", runs).select("cell", rank.alias("best"), rank.alias("earlier"))


def best_latest(ranks: DataFrame) -> DataFrame:
    """Keep the best of several ranks of a cell: LATEST -> LATEST."""
    return ranks.groupBy("cell").agg(*(F.max(name).alias(name) for name in LATEST.names[1:]))


def runs_of(ranks: pa.ChunkedArray) -> set[int]:
    """Return the numbers of the runs in ranks."""
    return {rank % _RUNS for rank in pc.unique(ranks.drop_null()).to_pylist()}


def run_of_rank(name: str) -> Column:
    """Return the number of the run in a rank."""
    return (F.col(name) % _RUNS).cast("int")


def gather(trials: DataFrame, latest: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Gather the trials that settle every cell: those of its best run with the greatest tier: TRIAL -> GATHERED."""
    best = _part(F.col("best"), _RUNS).cast("int")
    wanted = latest.select("cell", run_at(runs, run_of_rank("best")).alias("run_id"), best.alias("tier"))
    weighed = trials.withColumns({"cell": cell_hash(), "tier": tier()})
    settling = weighed.join(F.broadcast(wanted), ["cell", "run_id", "tier"])
    return settling.groupBy("cell").agg(*gathered()).select(*GATHERED.names)


def count_votes(trials: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Count the trials per cell, run, outcome and tier: TRIAL -> VOTED."""
    conformity = conformity_code("conforms").alias("conformity")
    answer = answer_hash("run_id", "outcome").alias("answer")
    hashed = trials.select(cell_hash(), answer, tier().alias("tier"), conformity)
    grouped = hashed.groupBy("cell", "answer", "tier")
    counted = grouped.agg(F.count("*").alias("votes"), F.max("conformity").alias("conformity"))
    return counted.join(F.broadcast(answers(trials.sparkSession, runs)), "answer").select(*VOTED.names)


def settle(votes: DataFrame) -> DataFrame:
    """Settle every cell per run: VOTED -> SETTLED."""
    by_tier = (F.sum(F.when(F.col("tier") == one, F.col("votes"))) for one in tiers())
    ranked = votes.groupBy("cell", "run").agg(
        F.max(_rank()).alias("rank"),
        F.max(_badness()).alias("badness"),
        F.max(F.col("tier") * _CODED + F.col("conformity")).alias("conforming"),
        F.array(*by_tier).alias("trials"),
    )
    rank, was_run = F.col("rank"), F.col("commonest") != _NOT_RUN
    is_flaky = F.col("agreeing") < F.col("trials")
    parted = ranked.withColumns(
        {
            "tier": _part(rank, _WEIGHED).cast("int"),
            "agreeing": _part(rank % _WEIGHED, _VOTED),
            "commonest": (_LAST - rank % _VOTED).cast("int"),
            "trials": F.get("trials", _part(rank, _WEIGHED).cast("int")),
        }
    )
    columns = {
        "outcome": F.when(is_flaky, _FLAKY).otherwise(F.col("commonest")),
        "worst": rank_place((F.col("badness") % _RANKED).cast("int")),
        "conformity": (F.col("conforming") % _CODED).cast("int"),
        "trials": F.when(was_run, F.col("trials")).otherwise(0),
        "agreeing": F.when(was_run, F.col("agreeing")).otherwise(0),
    }
    return parted.select(*(columns.get(name, F.col(name)).alias(name) for name in SETTLED.names))


def elect(settled: DataFrame, runs: Sequence[str], newest: int = 0) -> DataFrame:
    """Choose the run that gives every cell its row, and the row before the run `newest`: SETTLED -> ELECTED."""
    row = F.struct("tier", "run", *(name for name in SETTLED.names if name not in {"cell", "run", "tier"}))
    earlier = F.when(F.col("run") < newest, row)
    best = settled.groupBy("cell").agg(F.max(row).alias("best"), F.max(earlier).alias("earlier"))
    before = F.struct(*_decode("earlier", EARLIER.names, runs))
    known = F.when(F.col("earlier").isNotNull(), before).alias("before")
    return best.select("cell", *_decode("best", ELECTED.names[1:-1], runs), known)


def standing(matrix: DataFrame, runs: Sequence[str]) -> DataFrame:
    """Return the rows of an earlier matrix, to compete with those of newer runs: MATRIX -> SETTLED."""
    known = {
        "cell": cell_hash(),
        "run": F.col("run_id"),
        "tier": tier(),
        "outcome": outcome_place(F.col("outcome")),
        "worst": outcome_place(F.col("worst")),
        "commonest": F.lit(None).cast("int"),
        "conformity": conformity_code("conforms = 'yes'"),
    }
    rows = matrix.select(*(known.get(name, F.col(name)).alias(name) for name in SETTLED.names))
    return number_runs(rows, "run", runs)


def _run_rank() -> Column:
    """Return the rank of a run of a cell: tier, then time, as one number."""
    return F.col("tier") * F.lit(_RUNS).cast("bigint") + F.col("run")


def _rank() -> Column:
    """Return the rank of an outcome of a cell (tier, votes, the worse first) as one number, for hash aggregation."""
    return F.col("tier") * F.lit(_WEIGHED) + F.col("votes") * _VOTED + _LAST - F.col("outcome")


def _badness() -> Column:
    """Return how bad an answer is among those that settle the cell: tier and rank as one number."""
    return F.col("tier") * _RANKED + answer_rank(F.col("outcome"), F.col("conformity"))


def _decode(row: str, names: Sequence[str], runs: Sequence[str]) -> list[Column]:
    """Return columns of a settled row with words in place of numbers."""
    decoded = {
        "run_id": run_at(runs, F.col(f"{row}.run")),
        "outcome": outcome_at(F.col(f"{row}.outcome")),
        "commonest": outcome_at(F.col(f"{row}.commonest")),
        "worst": outcome_at(F.col(f"{row}.worst")),
        "conforms": conformity_at(F.col(f"{row}.conformity")),
    }
    return [(decoded[name] if name in decoded else F.col(f"{row}.{name}")).alias(name) for name in names]


def _part(number: Column, unit: int) -> Column:
    """Return the exact quotient of positive whole numbers."""
    return ((number - number % unit) / unit).cast("bigint")
