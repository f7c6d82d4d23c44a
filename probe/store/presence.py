"""Whether results are a folder with runs, without reading them and, for a local folder, without pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from probe.model.results import RUN_PREFIX, ResultsError

if TYPE_CHECKING:
    from probe.store.reading import TrialRow


def refuse_a_file(results: str) -> None:
    """Raise ResultsError if a local path names a file."""
    if os.path.isfile(results):  # noqa: PTH113  # a path as the user wrote it
        raise ResultsError(f"{results}: this is a file; name a folder of runs")


def has_runs(results: str) -> bool:
    """Return whether there is a run in a folder or at a URL.

    ResultsError for a file, and for a URL that pyarrow does not support.
    """
    if "://" in results:
        from probe.store.files import Place  # noqa: PLC0415  # loads pyarrow, which only URLs need

        return bool(Place(results).run_ids())
    refuse_a_file(results)
    try:
        with os.scandir(results) as entries:
            return any(entry.is_dir() and entry.name.startswith(RUN_PREFIX) for entry in entries)
    except FileNotFoundError:
        return False


def trials_if_any(results: str) -> Iterator[TrialRow]:
    """Yield the trials of all runs, none if there is no run; without one, no package of the laboratory is loaded."""
    if has_runs(results):
        from probe.store.reading import trials  # noqa: PLC0415  # loads pyarrow

        yield from trials(results)
