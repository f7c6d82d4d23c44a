"""An incremental build: new runs added to the cache. Every table is computed when it is requested.

The matrix reads few columns of every new run, to find the runs that can give a cell its row; only these are counted and
measured. History and tallies count every new run.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark.aggregate import (
    best_latest,
    count_votes,
    elect,
    enter,
    gather,
    latest,
    latest_of,
    run_of_rank,
    runs_of,
    settle,
    standing,
)
from spark.cache import SettledCache, load_table
from spark.changes import as_history, changes, decode, encode, join_stretches
from spark.encoding import cell_hash
from spark.inputs import Inputs
from spark.measures import as_matrix, keep_agreeing, measure
from spark.reader import read_files, read_trials
from spark.schema import IDENTITY
from spark.session import SMALL, tune
from spark.statistics import add_up, agreement, flake_rates, tally, timings
from spark.stretches import split_last, with_earlier
from spark.tables import FLAKES, KEPT, LATEST, TALLIED, TALLIES
from spark.versions import version_stretches
from spark.ways_out import with_ways_out

_OF_ALL = frozenset({"history", "tallies", "flakes"})
"""Tables that count every new run, not only those that give cells their rows."""


def build_incrementally(
    session: SparkSession, new: Inputs, kept: SettledCache | None, go_on: Callable[[], bool] = lambda: True
) -> dict[str, pa.Table]:
    """Settle the runs of `new`, all later than those of `kept`, and return the tables of `KEPT` over all runs.

    `go_on` is called before every table; if it returns False, the remaining tables are missing.
    """
    with ExitStack() as caches:
        folded = IncrementalBuild(session, new, kept, caches)
        return {name: folded.whole(name) for name in KEPT if go_on()}


@dataclass(frozen=True)
class IncrementalBuild:
    """The tables of `KEPT`; shared parts are cached until `caches` closes."""

    session: SparkSession
    new: Inputs
    kept: SettledCache | None
    caches: ExitStack

    def whole(self, name: str) -> pa.Table:
        """Compute a table. Of the history, Spark sees only what a new run can change.

        The remedies of a row follow from others, so those of rows that stay are found anew.
        """
        rows = self.table(name).toArrow()
        if name == "matrix":
            return with_ways_out(rows)
        return with_earlier(self.stretches[0], rows) if name == "history" and self.kept is not None else rows

    def table(self, name: str) -> DataFrame:
        """Return a table and set Spark up for its size. Compute it before the next call."""
        size = (self.new if name in _OF_ALL else self._of("best", "earlier")).bytes
        tune(self.session, size, among=self.new.bytes)
        rows: DataFrame = getattr(self, name)
        return rows

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """All runs, oldest first."""
        return (*sorted(() if self.kept is None else self.kept.runs), *self.new.runs)

    @cached_property
    def ranks(self) -> pa.Table:
        """LATEST of all runs. It has three numbers per cell and is small enough to stay outside Spark's cache."""
        tune(self.session, self.new.bytes)
        ranks = self._trials(self.new).transform(latest, self.runs)
        if self.kept is not None:
            ranks = self._before("matrix").transform(latest_of, self.runs).unionByName(ranks).transform(best_latest)
        return ranks.toArrow()

    @cached_property
    def latest(self) -> DataFrame:
        """`ranks` as a DataFrame."""
        return self.session.createDataFrame(self.ranks)

    @cached_property
    def ranked(self) -> list[tuple[str, str]]:
        """The runs, with the rank `best` or `earlier`, that occur in the ranks of a cell."""
        return [(self.runs[run], name) for name in LATEST.names[1:] for run in runs_of(self.ranks[name])]

    @cached_property
    def behind(self) -> DataFrame:
        """The trials behind the rows that come from new runs."""
        behind = self._trials(self._of("best")).transform(gather, self.latest, self.runs).transform(keep_agreeing)
        return self._cached(behind) if self.new.bytes <= SMALL else behind

    @cached_property
    def matrix(self) -> DataFrame:
        """MATRIX."""
        return self._cached(self._renewed("matrix", self.behind.transform(measure).transform(as_matrix)))

    @property
    def timings(self) -> DataFrame:
        """TIMINGS."""
        return self._renewed("timings", self.behind.transform(timings))

    @cached_property
    def votes(self) -> DataFrame:
        """VOTED, of every new run."""
        return self._cached(self._trials(self.new).transform(count_votes, self.runs))

    @cached_property
    def settled(self) -> DataFrame:
        """SETTLED, of every new run."""
        settled = self.votes.transform(settle)
        return self._cached(settled) if self.new.bytes <= SMALL else settled  # a cached plan is planned once only

    @property
    def changes(self) -> DataFrame:
        """CHANGES."""
        of = self._of("best", "earlier")
        settled = self.settled
        if of is not self.new:
            settled = self._trials(of).transform(count_votes, self.runs).transform(settle)
        if self.kept is not None:
            settled = self._before("matrix").transform(standing, self.runs).unionByName(settled)
        elected = settled.transform(elect, self.runs, len(self.runs) - 1)
        return self._named(elected).transform(changes, self.runs[-1])

    @property
    def versions(self) -> DataFrame:
        """VERSIONS."""
        return self.matrix.transform(version_stretches)

    @property
    def agreement(self) -> DataFrame:
        """AGREEMENT."""
        return self.matrix.transform(agreement)

    @cached_property
    def stretches(self) -> tuple[pa.Table, pa.Table]:
        """HISTORY of the cache: the stretches before each cell's last one, and the last ones."""
        if self.kept is None:
            raise LookupError("history")
        return split_last(load_table(self.new, self.kept, "history"))

    @property
    def history(self) -> DataFrame:
        """HISTORY, without the stretches that no new run can change."""
        stretches = self.settled.transform(as_history)
        if self.kept is not None:
            last = self.session.createDataFrame(self.stretches[1])
            stretches = last.transform(encode, self.runs).unionByName(stretches)
        return self._named(stretches.transform(join_stretches)).transform(decode, self.runs)

    @cached_property
    def tallied(self) -> DataFrame:
        """TALLIED."""
        new = self.votes.transform(tally)
        if self.kept is None:
            return self._cached(new)
        before = self._before("tallies").select(cell_hash(), *TALLIED.names[1:])
        return self._cached(before.unionByName(new).transform(add_up))

    @property
    def tallies(self) -> DataFrame:
        """TALLIES."""
        return self._named(self.tallied).select(*TALLIES.names)

    @property
    def flakes(self) -> DataFrame:
        """FLAKES."""
        return self._named(self.tallied.transform(flake_rates)).select(*FLAKES.names)

    def _of(self, *names: str) -> Inputs:
        """Return the new runs with a rank among `names`; these are few of many runs."""
        if len(self.new.runs) == 1 or self.new.bytes <= SMALL:
            return self.new
        return self.new.of([run for run, rank in self.ranked if rank in names])

    def _cached(self, rows: DataFrame) -> DataFrame:
        self.caches.callback(rows.unpersist)
        return rows.cache()

    def _trials(self, of: Inputs) -> DataFrame:
        """Read the trials that are settled."""
        rows = read_trials(self.session, of)
        one_task = rows.coalesce(1) if of.bytes <= SMALL else rows  # a single task needs no shuffle
        return one_task.transform(enter)

    def _before(self, name: str) -> DataFrame:
        """Read a table of the cache."""
        if self.kept is None:
            raise LookupError(name)
        return read_files(self.session, self.new, (f"{self.kept.folder}/{name}.parquet",), KEPT[name])

    def _renewed(self, name: str, rows: DataFrame) -> DataFrame:
        """Replace those rows of a cached table whose cells have new rows."""
        columns = KEPT[name].names
        if self.kept is None:
            return rows.select(*columns)
        fresh = self.latest.where(run_of_rank("best") >= len(self.kept.runs)).select("cell")
        stays = self._before(name).withColumn("cell", cell_hash()).join(fresh, "cell", "left_anti")
        return stays.select(*columns).unionByName(rows)

    def _named(self, rows: DataFrame) -> DataFrame:
        """Add the columns of `IDENTITY` to rows with `cell`."""
        return rows.join(self.matrix.select(cell_hash(), *IDENTITY), "cell")
