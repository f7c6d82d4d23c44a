"""Whether results are a folder with runs, without reading them and, for a local folder, without pyarrow."""

from __future__ import annotations

import os

from probe.model.results import RUN_PREFIX
from probe.store.local_paths import refuse_a_file


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
