"""The store of runs: Parquet files that are appended while trials run. A reader never finds an incomplete file."""

from probe.model.results import ResultsError
from probe.store.captures import read_capture, write_capture
from probe.store.reading import RunInfo, TrialRow, histories, history, run_info, runs, trials
from probe.store.writing import RunStore

__all__ = [
    "ResultsError",
    "RunInfo",
    "RunStore",
    "TrialRow",
    "histories",
    "history",
    "read_capture",
    "run_info",
    "runs",
    "trials",
    "write_capture",
]
