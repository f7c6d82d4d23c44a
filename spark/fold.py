"""New runs folded into what earlier builds kept: every table of the job, in one go.

Read twice at most: few columns of every new run to count and elect, then the runs that were elected to measure them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from spark.changes import as_history, changes, join_stretches
from spark.inputs import Inputs
from spark.kept import Kept
from spark.reading import read_files, read_trials
from spark.schema import IDENTITY
from spark.session import SMALL, tune
from spark.statistics import add_up, agreement, flake_rates, tally, timings
from spark.tables import KEPT
from spark.transforms import as_matrix, count_votes, elect, enter, keep_agreeing, measure, settle, standing
from spark.versions import version_stretches


def fold(
    session: SparkSession, new: Inputs, kept: Kept | None, go_on: Callable[[], bool] = lambda: True
) -> dict[str, pa.Table]:
    """Settle the runs of `new`, all later than what was kept, and return the tables of `KEPT` over all runs.

    `go_on` is asked before each table; once it says no, the others are missing.
    """
    with ExitStack() as caches:
        found = tables(session, new, kept, caches)
        return {name: rows.toArrow() for name, rows in found.items() if go_on()}


def tables(session: SparkSession, new: Inputs, kept: Kept | None, caches: ExitStack) -> dict[str, DataFrame]:
    """Return the tables of `KEPT` as they are to be computed; what several need is cached until `caches` end."""
    tune(session, new.bytes)
    newest = new.runs[-1]

    def cached(rows: DataFrame) -> DataFrame:
        caches.callback(rows.unpersist)
        return rows.cache()

    def trials(of: Inputs) -> DataFrame:
        rows = read_trials(session, of)
        return rows.coalesce(1) if new.bytes <= SMALL else rows  # one task needs no exchange between tasks

    before = {name: _kept(session, new, kept, name) for name in KEPT}
    votes = cached(trials(new).transform(enter).transform(count_votes))
    settled = cached(votes.transform(settle))
    elected = cached(before["matrix"].transform(standing).unionByName(settled).transform(elect, newest))
    fresh = elected if kept is None else elected.where(F.col("run_id") > kept.last)
    chosen = _elected(new, fresh)
    agreeing = trials(chosen).transform(enter).transform(keep_agreeing, fresh, votes)

    def renewed(name: str, rows: DataFrame) -> DataFrame:
        return before[name].join(fresh, list(IDENTITY), "left_anti").unionByName(rows)

    cells = cached(renewed("matrix", agreeing.transform(measure).transform(as_matrix)))
    tallies = cached(before["tallies"].unionByName(votes.transform(tally)).transform(add_up))
    return {
        "matrix": cells,
        "history": before["history"].unionByName(settled.transform(as_history)).transform(join_stretches),
        "changes": elected.transform(changes, newest),
        "versions": cells.transform(version_stretches),
        "agreement": cells.transform(agreement),
        "tallies": tallies,
        "flakes": tallies.transform(flake_rates),
        "timings": renewed("timings", agreeing.transform(timings)),
    }


def _kept(session: SparkSession, inputs: Inputs, kept: Kept | None, name: str) -> DataFrame:
    paths: Iterable[str] = () if kept is None else (f"{kept.folder}/{name}.parquet",)
    return read_files(session, inputs, tuple(paths), KEPT[name])


def _elected(new: Inputs, fresh: DataFrame) -> Inputs:
    """Return the files of the runs that give a cell its row: of a long history these are few."""
    if len(new.runs) == 1 or new.bytes <= SMALL:
        return new
    return new.of([row["run_id"] for row in fresh.select("run_id").distinct().collect()])
