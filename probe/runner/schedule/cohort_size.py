"""Size of cohorts: as many cells as let real brokers acknowledge writes quickly before the fault.

Writes that wait for a core hide what a client does between them. How many clients are too many depends on the machine
and on what else runs there, so each cohort is measured when all of it waits for the fault, as the relay sees it. One
with slow writes is given back, and the size of later ones follows what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from probe.errors import CrowdedError
from probe.model import History, Response
from probe.model.clock import now_us
from probe.planning.plan import Planned
from probe.ports import CohortLoad
from probe.protocol.apis import PRODUCE
from probe.runner.trial.pacing import STEADY_MS

MAX_WRITE_MS = 50.0
"""Median of acknowledged writes before the fault that a cohort stays below."""
QUICK_WRITE_MS = 20.0
"""Median up to which a full cohort may be followed by a larger one."""
FIRST_PER_CORE = 16
"""Most cells per core of the first cohorts. On two cores, 24 to 28 cells had medians of 4 to 6 ms."""
MIN_COHORT = 8
"""Cells up to which a cohort is never given back: with fewer, a run would take too long."""
NEARLY = 0.8
"""Share of the limit from which a cohort shows whether it is too low; cohorts of a scenario are even."""
GROWTH = 1.25
"""Factor of the limit after a quick cohort."""


def half(cells: int) -> int:
    """Return the most cells of the cohorts that follow one with slow writes.

    >>> half(33), half(10)
    (17, 8)
    """
    return max(MIN_COHORT, -(-cells // 2))


def is_slow(median_ms: float | None) -> bool:
    """Return whether a median write is too slow for a fault to be injected."""
    return median_ms is not None and median_ms >= MAX_WRITE_MS


class CohortSize:
    """The most cells of a cohort."""

    def __init__(self, most: int, first: int) -> None:
        """Begin with cohorts of at most `first` cells; later ones have at most `most`."""
        self._most, self.cells = most, min(most, first)
        """Most cells of the next cohort."""

    def measured(self, cells: int, median_ms: float | None) -> bool:
        """Adapt the limit to a cohort of this number of cells and its median write; return whether it changed.

        A cohort that is smaller than the limit may show that it is too high, but not that it is too low.
        """
        before = self.cells
        if is_slow(median_ms):
            self.cells = min(before, half(cells))
        elif median_ms is not None and median_ms <= QUICK_WRITE_MS and cells >= NEARLY * before:
            self.cells = min(self._most, round(before * GROWTH))
        return self.cells != before


@dataclass(slots=True)
class CohortCheck:
    """Measures a cohort once, when all its trials are ready for the fault, and decides whether it is injected."""

    cells: int = 0
    """Trials that were ready; 0 before the measurement."""
    given_back: bool = False
    """Whether its trials are to be played again, in smaller cohorts."""
    _histories: list[Callable[[], History]] = field(default_factory=list)
    _writes_ms: Sequence[float] = ()

    def ready(self, history: Callable[[], History]) -> None:
        """Add a trial that is ready, with what returns its history so far."""
        if not self.cells:
            self._histories.append(history)

    def before_fault(self) -> None:
        """Measure the cohort. CrowdedError if its writes are slow and a smaller cohort can be played.

        Clients that start under the fault may be started again, which changes nothing.
        """
        if self.cells:
            return
        at, self.cells = now_us(), len(self._histories)
        self._writes_ms = [took_ms for history in self._histories for took_ms in writes_before_ms(history(), at)]
        self._histories.clear()
        median_write_ms = median_ms(self._writes_ms)
        self.given_back = self.cells > MIN_COHORT and is_slow(median_write_ms)
        if self.given_back:
            raise CrowdedError(f"writes took {median_write_ms} ms with {self.cells} cells in the cohort")

    def load(self, item: Planned) -> CohortLoad | None:
        """Return size and writes of the cohort, of which `item` is a cell; None if it did not come to its fault."""
        if not self.cells:
            return None
        return CohortLoad(
            scenario=item.cell.scenario,
            broker=item.cell.broker,
            cells=self.cells,
            writes=len(self._writes_ms),
            median_write_ms=median_ms(self._writes_ms),
            given_back=self.given_back,
        )


def writes_before_ms(history: History, fault_us: int) -> Iterator[float]:
    """Yield how long each Produce request took that was acknowledged in the last seconds before a time.

    In milliseconds, from the last byte of the request to the last byte of the answer, at the relay.
    """
    for event in reversed(history.events):
        if event.at < fault_us - STEADY_MS * 1000:
            return
        if isinstance(event, Response) and event.api == PRODUCE and event.at < fault_us and not _failed(event):
            yield (event.at - event.sent_at) / 1000


def _failed(answer: Response) -> bool:
    return bool(answer.code or any(row.code for row in answer.rows))


def median_ms(writes: Sequence[float]) -> float | None:
    """Return the median, to a tenth of a millisecond; None without writes."""
    return round(median(writes), 1) if writes else None
