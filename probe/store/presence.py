"""Whether a results folder has runs, without reading them and, for a local folder, without pyarrow."""

from __future__ import annotations

import os

from probe.model.results import RUN_PREFIX


def has_runs(results: str) -> bool:
    """Return whether there is a run in a folder or at a URL; ResultsError for a URL that pyarrow does not support."""
    if "://" in results:
        from probe.store.files import Place  # noqa: PLC0415  # loads pyarrow, which only URLs need

        return bool(Place(results).run_ids())
    try:
        with os.scandir(results) as entries:
            return any(entry.is_dir() and entry.name.startswith(RUN_PREFIX) for entry in entries)
    except FileNotFoundError:
        return False
