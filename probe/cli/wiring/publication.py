"""From stored runs to matrix.csv and site/, with Spark started while trials still run."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from pyspark.sql import SparkSession

from probe.cells.aggregate import SettledCell
from probe.cli.console.agreement import of_matrix, show_agreement
from probe.cli.console.older_conditions import say_older
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.captures import Captures
from probe.cli.wiring.catalogue import families, inside
from probe.cli.wiring.costs import known_costs
from probe.cli.wiring.settled_cells import write_settled
from probe.cli.wiring.shipped_cells import shipped_beside
from probe.cli.wiring.site_files import site_files
from probe.cli.wiring.sweeps import stored_sweeps
from probe.cli.wiring.time_budget import note_publishing
from probe.errors import EndedError, InterruptedRunError, NothingJudgedError
from probe.model.results import EVENTS, RUN_PREFIX, TRIALS, VERDICTS
from probe.site import Source, build
from probe.site.data.matrix_rows import read_matrix
from probe.store import histories, trials
from probe.store.files import Place
from probe.store.lock import PUBLISHING, locked
from probe.store.shards import missing_shards
from probe.toolchain.tools import ToolError
from spark.job import build_matrix, is_large, warm_up
from spark.output import sweep
from spark.session import give_way, start_session, stop_session
from spark.traffic_job import build_traffic

HURRY_S = 2.0
"""Maximum wait for a starting Spark after a signal, in seconds."""
AGAIN_S = 0.5
"""Pause between two looks for a stored trial to warm Spark up with, in seconds."""
ADDRESS = "PROBE_SITE_URL"
"""Environment variable with the public address of the site, for the links of its feed."""


class Publisher:
    """A Spark session that starts in the background."""

    def __init__(self, results: str, out: str | None = None, master: str | None = None, *, wait_s: float = 0.0) -> None:
        self._results = results
        self._out = out or results
        self._master = master
        self._wait_s = wait_s
        self._session: SparkSession | None = None
        self._failure: ToolError | None = None
        self._wanted = threading.Event()
        self._thread = threading.Thread(target=self._start, name="spark", daemon=True)

    def _start(self) -> None:
        try:
            self._session = start_session(self._master, large=is_large(self._results))
        except ToolError as error:
            self._failure = error
            return
        if not self._wanted.is_set():
            give_way(self._session)  # trials are running, and their event loop must not stall
            while not (self._wanted.is_set() or warm_up(self._session, self._results, self._goes_on)):
                self._wanted.wait(AGAIN_S)  # no trial is stored yet

    def _goes_on(self) -> bool:
        return not self._wanted.is_set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wanted.set()
        self._thread.join(HURRY_S if isinstance(error, EndedError | InterruptedRunError) else None)
        # a JVM that is still starting ends with this process, when its pipe closes
        if self._session is not None and not self._thread.is_alive():
            stop_session(self._session)

    def publish(self, *, just_ran: bool = False) -> None:
        """Write matrix.csv, the other tables and site/, and print their places. ToolError without Spark.

        After a run of this process, the time since its last event is printed.
        LockedError if another process publishes to the same folder for longer than `wait_s`.
        """
        with locked(self._out, PUBLISHING, wait_s=self._wait_s, say=say):
            started = time.monotonic()
            sweep(self._out)
            self._publish(just_ran=just_ran)
            note_publishing(self._results, time.monotonic() - started)

    def _publish(self, *, just_ran: bool) -> None:
        started = time.monotonic()
        self._wanted.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        has_site = "://" not in self._out
        with ThreadPoolExecutor(1, "evidence") as beside:  # Python waits while Spark works in the JVM
            evidence = beside.submit(_settled_and_shipped, self._results, has_site=has_site)
            built = build_matrix(self._results, self._out, session=self._session)
            shipped = evidence.result()
        for problem in filter(None, (*built.problems, missing_shards(self._results))):
            say(problem)
        show_agreement(of_matrix(self._out))
        if not has_site:
            say(
                f"{self._out} is not a local folder, so no site is built; --out FOLDER makes one. "
                f"{built.cells} cells: {built.csv}"
            )
            return
        found = self._results
        source = Source(partial(trials, found), partial(histories, found), partial(stamp, found), Captures(found))
        address, processes = os.environ.get(ADDRESS, ""), os.cpu_count() or 1
        rows = read_matrix(Path(built.csv))
        older = [row.cell for row in rows if not row.is_current]
        say_older(older, "their rows have a lower number in the column conditions")
        further, listed = partial(site_files, found), tuple(families().values())
        swept, costs = stored_sweeps(found), known_costs(found)
        index = build(
            Path(built.csv),
            source,
            Path(self._out),
            inside,
            address,
            processes,
            further,
            listed,
            swept,
            shipped,
            costs,
        )
        if not (built.cells or swept):
            raise NothingJudgedError(f"{self._results}: there are no judged trials; use `probe run` first")
        say(f"matrix and site in {time.monotonic() - started:.1f} s{self._since() if just_ran else ''}")
        OUT.print(f"{built.cells} cells: {built.csv}", markup=False)
        OUT.print(f"site: {index}", markup=False)

    def sum_up_traffic(self) -> None:
        """Write traffic.parquet from the events behind the matrix, and print its place."""
        with locked(self._out, PUBLISHING, wait_s=self._wait_s, say=say):
            self._sum_up()

    def _sum_up(self) -> None:
        OUT.print(f"traffic: {build_traffic(self._results, self._out, session=self._session)}", markup=False)

    def _since(self) -> str:
        """Return the time since the newest run's last event, by this machine's monotonic clock, as text."""
        place = Place(self._results)
        run_id = place.run_ids()[-1]
        at = max((place.highest(path, "at") for path in place.files(f"{RUN_PREFIX}{run_id}/{EVENTS}")), default=0)
        return f", {time.monotonic() - at / 1e6:.1f} s after the last trial's last event"


def _settled_and_shipped(results: str, *, has_site: bool) -> Sequence[SettledCell]:
    """Write the settled cells of a results folder, and return the cells that ship for the pages of its clients."""
    write_settled(results)
    return shipped_beside(results) if has_site else ()


def stamp(results: str, run_id: str) -> str:
    """Return an identifier of the state of a run: the names of its files, since files are only added."""
    place = Place(results)
    folders = (f"{RUN_PREFIX}{run_id}/{name}" for name in (TRIALS, EVENTS, VERDICTS))
    return ";".join(path for folder in folders for path in place.files(folder))
