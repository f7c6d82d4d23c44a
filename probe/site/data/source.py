"""The interface of the site to stored results. The command line connects `probe.store`; tests use fakes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from probe.model import Cell, History
from probe.model.judged_trial import JudgedTrial

Key = tuple[Cell, int]
"""A cell and the number of a trial."""


class TrialRow(JudgedTrial, Protocol):
    """A stored and judged trial."""

    @property
    def part(self) -> str:
        """The name of the files that contain the trial, without suffix."""


@dataclass(frozen=True, slots=True)
class Source:
    """Judged trials and their histories, per run: `Source(partial(trials, results), partial(histories, results))`.

    Both may raise ResultsError for a run that cannot be read; its cells are then shown without trials. The value is
    pickled if several processes render.
    """

    trials: Callable[[str], Iterable[TrialRow]]
    """Yields every trial of a run id."""
    histories: Callable[[str, Collection[Key], Collection[str]], Iterable[History]]
    """Yields the readable histories of the wanted trials of a run, from these parts, in any order."""
    stamp: Callable[[str], str] | None = None
    """Returns a digest of a run's files; None = no page of an earlier site is reused."""
    capture: Callable[[str, Cell, int], bytes | None] | None = None
    """Returns the pcapng file of a trial of a run id; None if there is none."""
