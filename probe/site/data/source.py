"""What the site needs of stored results. The command line wires `probe.store` to it; tests give fakes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from probe.model import Cell, History, Verdict

Key = tuple[Cell, int]
"""A cell and the number of a trial."""


class TrialRow(Protocol):
    """One judged trial as it is stored."""

    @property
    def cell(self) -> Cell:
        """Return what was asked."""

    @property
    def trial(self) -> int:
        """Return its number within the run."""

    @property
    def verdict(self) -> Verdict:
        """Return its newest verdict."""

    @property
    def part(self) -> str:
        """Return the name of the files that hold it; equal for what lies together."""

    @property
    def shortened(self) -> bool:
        """Say whether `--watch` cut the watch; such a trial is shown, and never enters the matrix."""


@dataclass(frozen=True, slots=True)
class Source:
    """Judged trials and their histories, run by run: `Source(partial(trials, results), partial(histories, results))`.

    Either may raise ResultsError where a run cannot be read; its cells are then shown without trials. Where several
    processes draw, all of it is pickled.
    """

    trials: Callable[[str], Iterable[TrialRow]]
    """Every trial of a run id."""
    histories: Callable[[str, Collection[Key], Collection[str]], Iterable[History]]
    """Those of the wanted trials of a run, which lie in these parts, that can be read, in any order."""
    stamp: Callable[[str], str] | None = None
    """What tells one state of a run's files from another; None = no page of an earlier site is taken over."""
    capture: Callable[[str, Cell, int], bytes | None] | None = None
    """The pcapng file of a trial of a run id; None where it was not captured."""
