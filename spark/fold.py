"""New runs folded into what earlier builds kept: every table of the job, in one go.

Read twice at most: few columns of every new run to count and elect, then the runs that were elected to measure them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from spark.changes import as_history, changes, in_numbers, in_words, join_stretches
from spark.inputs import Inputs
from spark.kept import Kept
from spark.numbered import cell_hash
from spark.reading import read_files, read_trials
from spark.schema import IDENTITY
from spark.session import SMALL, tune
from spark.statistics import add_up, agreement, flake_rates, tally, timings
from spark.tables import FLAKES, KEPT, TALLIED, TALLIES
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
    runs = (*sorted(() if kept is None else kept.runs), *new.runs)

    def cached(rows: DataFrame) -> DataFrame:
        caches.callback(rows.unpersist)
        return rows.cache()

    def trials(of: Inputs) -> DataFrame:
        rows = read_trials(session, of)
        return rows.coalesce(1) if new.bytes <= SMALL else rows  # one task needs no exchange between tasks

    before = {name: _kept(session, new, kept, name) for name in KEPT}
    counted = trials(new).transform(enter).transform(count_votes, runs)
    votes = cached(counted)
    settled = votes.transform(settle)
    if new.bytes <= SMALL:  # what is cached is planned once; of many rows the matrix alone should not pay for that
        settled = cached(settled)
    standing_or_new = before["matrix"].transform(standing, runs).unionByName(settled)
    elected = cached(standing_or_new.transform(elect, runs, len(runs) - 1))
    fresh = elected if kept is None else elected.where(F.col("run_id") > kept.last)
    chosen = _elected(new, fresh)
    agreeing = trials(chosen).transform(enter).transform(keep_agreeing, fresh, votes, runs)

    def renewed(name: str, rows: DataFrame) -> DataFrame:
        stays = before[name].withColumn("cell", cell_hash()).join(fresh.select("cell"), "cell", "left_anti")
        return stays.select(*KEPT[name].names).unionByName(rows)

    cells = cached(renewed("matrix", agreeing.transform(measure).transform(as_matrix)))
    names = cells.select(cell_hash(), *IDENTITY)

    def named(rows: DataFrame) -> DataFrame:
        return rows.join(names, "cell")

    tallied = before["tallies"].select(cell_hash(), *TALLIED.names[1:]).unionByName(votes.transform(tally))
    tallies = cached(tallied.transform(add_up))
    told = before["history"].transform(in_numbers, runs).unionByName(settled.transform(as_history))
    return {
        "matrix": cells,
        "history": told.transform(join_stretches).transform(named).transform(in_words, runs),
        "changes": elected.transform(named).transform(changes, runs[-1]),
        "versions": cells.transform(version_stretches),
        "agreement": cells.transform(agreement),
        "tallies": tallies.transform(named).select(*TALLIES.names),
        "flakes": tallies.transform(flake_rates).transform(named).select(*FLAKES.names),
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
