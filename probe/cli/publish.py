"""From stored runs to matrix.csv and site/, with Spark started while trials still run."""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from pyspark.sql import SparkSession

from probe.cli.console import OUT, say
from probe.errors import NothingJudgedError
from probe.model.results import EVENTS, RUN_PREFIX, TRIALS, VERDICTS
from probe.site import Source, build
from probe.store import histories, trials
from probe.store.files import Place
from probe.tools import ToolError
from spark.job import build_matrix
from spark.session import start_session, stop_session


class Publisher:
    """Holds a Spark session that starts in the background."""

    def __init__(self, results: str, out: str | None = None, master: str | None = None) -> None:
        self._results = results
        self._out = out or results
        self._master = master
        self._session: SparkSession | None = None
        self._failure: ToolError | None = None
        self._thread = threading.Thread(target=self._start, name="spark", daemon=True)

    def _start(self) -> None:
        try:
            self._session = start_session(self._master)
        except ToolError as error:
            self._failure = error

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.join()
        if self._session is not None:
            stop_session(self._session)

    def publish(self) -> None:
        """Write matrix.csv, matrix.parquet and site/; name them. ToolError without Spark."""
        started = time.monotonic()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        built = build_matrix(self._results, self._out, session=self._session)
        for problem in built.problems:
            say(problem)
        results = self._results
        source = Source(partial(trials, results), partial(histories, results), partial(stamp, results))
        index = build(Path(built.csv), source, Path(self._out))
        if not built.cells:
            raise NothingJudgedError(f"{self._results}: no judged trial; run `probe run` first")
        say(f"matrix and site in {time.monotonic() - started:.1f} s")
        OUT.print(f"{built.cells} cells: {built.csv}", markup=False)
        OUT.print(f"site: {index}", markup=False)


def stamp(results: str, run_id: str) -> str:
    """Return what tells one state of a run from another: the names of its files, which are only ever added."""
    place = Place(results)
    folders = (f"{RUN_PREFIX}{run_id}/{name}" for name in (TRIALS, EVENTS, VERDICTS))
    return ";".join(path for folder in folders for path in place.files(folder))
