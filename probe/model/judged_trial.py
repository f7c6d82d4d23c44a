"""The part of a stored and judged trial that all its readers need."""

from __future__ import annotations

from typing import Protocol

from probe.model.cell import Cell
from probe.model.verdicts import Verdict


class JudgedTrial(Protocol):
    """A stored and judged trial."""

    @property
    def cell(self) -> Cell:
        """The cell of the trial."""

    @property
    def trial(self) -> int:
        """The number of the trial in its run."""

    @property
    def verdict(self) -> Verdict:
        """The newest verdict."""

    @property
    def shortened(self) -> bool:
        """Whether `--watch` shortened the observation; such a trial is shown but is not part of the matrix."""

    @property
    def conditions(self) -> int:
        """Number of the conditions under which it ran."""
