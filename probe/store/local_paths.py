"""Local paths of results. This module loads no pyarrow."""

from __future__ import annotations

import os

from probe.model.results import ResultsError


def refuse_a_file(results: str) -> None:
    """Raise ResultsError if a local path names a file."""
    if os.path.isfile(results):  # noqa: PTH113  # a path as the user wrote it
        raise ResultsError(f"{results}: this is a file; name a folder of runs")
