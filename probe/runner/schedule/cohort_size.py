"""Size of cohorts: as many cells as let real brokers acknowledge writes quickly before the fault.

Writes that wait for a core hide what a client does between them. How many clients are too many depends on the machine
and on what else runs there, so the size follows the writes of earlier cohorts, as the relay measured them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from probe.model import EngineEvent, EngineKind, History, Response
from probe.protocol.apis import PRODUCE
from probe.runner.trial.pacing import STEADY_MS

MAX_WRITE_MS = 50.0
"""Median of acknowledged writes before the fault that a cohort stays below."""
QUICK_WRITE_MS = 20.0
"""Median up to which a full cohort may be followed by a larger one."""
MIN_COHORT = 8
NEARLY = 0.8
"""Share of the limit from which a cohort shows whether it is too low; cohorts of a scenario are even."""
GROWTH, CUT = 1.25, 0.8
"""Factors of the limit after a quick cohort, and after one that is as much too slow as its median says."""


class CohortSize:
    """The most cells of a cohort."""

    def __init__(self, most: int) -> None:
        """Begin with the largest cohorts."""
        self._most = self.cells = most
        """Most cells of the next cohort."""

    def measured(self, cells: int, median_ms: float | None) -> bool:
        """Adapt the limit to a cohort of this number of cells and its median write; return whether it changed.

        A cohort that is smaller than the limit may show that it is too high, but not that it is too low.
        """
        before = self.cells
        if median_ms is not None and median_ms >= MAX_WRITE_MS:
            fewer = int(cells * CUT * max(0.5, MAX_WRITE_MS / median_ms))
            self.cells = min(before, max(MIN_COHORT, fewer))
        elif median_ms is not None and median_ms <= QUICK_WRITE_MS and cells >= NEARLY * before:
            self.cells = min(self._most, round(before * GROWTH))
        return self.cells != before


def saw_fault(history: History) -> bool:
    """Return whether a trial came to its fault."""
    return _fault_at(history) is not None


def writes_before_fault_ms(history: History) -> Iterator[float]:
    """Yield how long each acknowledged Produce request took in the last seconds before the fault, in milliseconds.

    From the last byte of the request to the last byte of the answer, at the relay.
    """
    if (fault := _fault_at(history)) is None:
        return
    for event in history.events:
        if isinstance(event, Response) and event.api == PRODUCE and _is_before(event, fault) and not _failed(event):
            yield (event.at - event.sent_at) / 1000


def _fault_at(history: History) -> int | None:
    times = (one.at for one in history.events if isinstance(one, EngineEvent) and one.kind is EngineKind.FAULT_ON)
    return next(times, None)


def _is_before(answer: Response, fault: int) -> bool:
    return fault - STEADY_MS * 1000 <= answer.sent_at and answer.at < fault


def _failed(answer: Response) -> bool:
    return bool(answer.code or any(row.code for row in answer.rows))


def median_ms(writes: Sequence[float]) -> float | None:
    """Return the median, to a tenth of a millisecond; None without writes."""
    return round(median(writes), 1) if writes else None
