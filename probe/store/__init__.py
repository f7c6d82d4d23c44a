"""The store of runs: Parquet files that are appended while trials run. A reader never finds an incomplete file.

Names are imported when first used, because pyarrow takes longer to load than many commands run.
"""

from typing import TYPE_CHECKING

from probe.lazy_names import lazy_names
from probe.model.results import ResultsError

if TYPE_CHECKING:
    from probe.store.captures import read_capture, write_capture
    from probe.store.reader import RunInfo, TrialRow, histories, history, run_info, runs, trials
    from probe.store.writer import RunStore
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "captures": ("read_capture", "write_capture"),
            "reader": ("RunInfo", "TrialRow", "histories", "history", "run_info", "runs", "trials"),
            "writer": ("RunStore",),
        },
    )

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
