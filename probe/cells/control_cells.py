"""Control cells in look-ups: whether a client works with brokers of a release line at all. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from probe.cells.aggregate import SettledCell
from probe.cells.audit import UNPROVEN, Fault, Finding
from probe.cells.cell_order import in_order
from probe.cells.lines import sides_of
from probe.cells.trends import Question, question
from probe.cells.upgrades import next_conforming
from probe.model import Cell

NO_SERVICE = (Finding.FAILS, Finding.SUSPECTED)
"""Findings of a control cell under which nothing else is worth asking."""


def without_implied(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """Return the faults without those that need no measurement on their line.

    A fault that was measured on the line, or on both sides of it, needs a control cell that was clean there. A client
    that does not work on the line meets no fault there, whatever other releases show.
    """
    works = _asked(faults, lambda item: item.finding is not Finding.UNKNOWN and _is_enclosed(item))
    fails = _asked(faults, lambda item: item.is_control and item.finding in NO_SERVICE)

    def needed(item: Fault) -> bool:
        asked = question(item.cell, "scenario")
        if item.is_control:
            return item.finding is not Finding.UNKNOWN or asked not in works
        return (item.finding not in UNPROVEN and _is_enclosed(item)) or asked not in fails

    return tuple(item for item in faults if needed(item))


def _asked(faults: Iterable[Fault], fits: Callable[[Fault], bool]) -> set[Question]:
    return {question(item.cell, "scenario") for item in faults if fits(item)}


def _is_enclosed(item: Fault) -> bool:
    """Return whether the evidence is of the line itself, or of the lines on both sides of it."""
    return item.evidence is not None and len(sides_of(item.cell, item.evidence)) != 1


@dataclass(frozen=True, slots=True)
class Barred:
    """A client that does not work with brokers of a line: they refuse it, or it never serves."""

    control: SettledCell
    first: str
    """The smallest later version that is known to work there; empty if none is."""

    @property
    def why(self) -> str:
        """Which request is refused, or how the client fails."""
        return self.control.refusal or self.control.reason

    @property
    def way_out(self) -> str:
        """The version to upgrade to, as a clause."""
        return f"{self.first} is the first that works" if self.first else "no later version is known to work"


def barred(cells: Iterable[Cell], stored: Mapping[Cell, SettledCell]) -> list[Barred]:
    """Return the clients of control cells that do not work on their lines, in reading order."""
    bad = [item for cell in in_order(cells) if (item := stored.get(cell)) is not None and item.grade.severity]
    later = next_conforming(bad, stored.values())
    return [Barred(item, later.get(item.cell, "")) for item in bad]
