"""Context of an answer about a client: remedies of its findings, and how its user can install them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from probe.cells.targets import Target
from probe.model import Cell


class Remedies(Protocol):
    """Remedies that are known for findings."""

    @property
    def mending(self) -> Mapping[Cell, str]:
        """The next version in which work goes on and nothing is lost, by the cell of the evidence."""

    @property
    def targets(self) -> Mapping[Cell, Target]:
        """The release to go to, which mends most, by the cell of the evidence."""

    @property
    def helping(self) -> Mapping[Cell, str]:
        """A profile in which the same version passes, by the cell of the evidence."""

    @property
    def restarting(self) -> Mapping[Cell, bool]:
        """Whether a second instance works that starts under the fault, by the cell of the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Knowledge about the question: an application is asked about, or a release that nobody measured."""

    otherwise: str = ""
    """A way out where no released version is known to mend a fault; empty = none is known."""
    measured: str = ""
    """The measured releases around one that was not, and what measures it; empty = it was measured."""
    named: Callable[[Cell, str], str] = lambda _, version: version
    """Name of a later version of a cell's client, as who asked can install it: `filebeat 9.0.0 with sarama 1.43.3`."""

    def search(self, _: object = None) -> str:
        """Return what else may be done, as the end of a sentence; empty if nothing is known."""
        return f"; {self.otherwise}" if self.otherwise else ""


PLAIN = Asking()
"""A measured release of a library."""
