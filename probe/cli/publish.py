"""From stored runs to matrix.csv and site/, with Spark started while trials still run."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from probe.cli.console import OUT, say
from probe.errors import NothingJudgedError
from probe.site import StoredSource, build
from spark.job import build_matrix, start_session, stop_session


class Publisher:
    """Holds a Spark session that starts in the background."""

    def __init__(self, results: str, out: str | None = None, master: str | None = None) -> None:
        self._results = results
        self._out = out or results
        self._master = master
        self._thread = threading.Thread(target=self._start, name="spark", daemon=True)

    def _start(self) -> None:
        start_session(self._master)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.join()
        stop_session()

    def publish(self) -> None:
        """Write matrix.csv, matrix.parquet and site/; name them."""
        started = time.monotonic()
        self._thread.join()
        counts = build_matrix(self._results, self._out, self._master)
        matrix = Path(self._out) / "matrix.csv"
        index = build(matrix, StoredSource(self._results), Path(self._out))
        if not counts.cells:
            raise NothingJudgedError(f"{self._results}: no judged trial; run `probe run` first")
        say(f"matrix and site in {time.monotonic() - started:.1f} s")
        OUT.print(f"{counts.cells} cells: {matrix}", markup=False)
        OUT.print(f"site: {index}", markup=False)
