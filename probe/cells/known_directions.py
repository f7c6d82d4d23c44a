"""Scored scenarios in which one side of a comparison is known or suspected to stop, and the other one goes on. Pure.

They are what look-ups say of the two sides, by whatever answers for each of them. That is no comparison of trials, so
nothing is called better or worse for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from probe.cells.audit import Fault
from probe.cells.causes import is_mended_by_acks, loses_and_stops
from probe.cells.suspicions import is_grave
from probe.model import Cell, Role, Workload
from probe.model.roles import UNLEVELLED


@dataclass(frozen=True, slots=True)
class Directions:
    """The findings of a side that speak for a change, and those that speak against it."""

    better: tuple[Fault, ...] = ()
    """Of the old side: work stops or is lost there, and goes on at the new one."""
    worse: tuple[Fault, ...] = ()
    """Of the new side: work stops or is lost there, and goes on at the old one."""

    def __bool__(self) -> bool:
        return bool(self.better or self.worse)

    def without(self, decided: Collection[Cell]) -> Directions:
        """Return the findings of scenarios other than those of cells that trials of both sides decided."""
        known = {(cell.role, cell.scenario) for cell in decided}
        better, worse = (tuple(one for one in side if _place(one) not in known) for side in (self.better, self.worse))
        return Directions(better, worse)


NO_DIRECTION = Directions()
"""Look-ups that say the same of both sides, or that were not asked."""


def directions(old: Sequence[Fault], new: Sequence[Fault]) -> Directions:
    """Return what the findings about two sides say of a change. A loss that acks=all mends is none of the change."""
    return Directions(better=_lone(old, new), worse=_lone(new, old))


def _lone(mine: Iterable[Fault], others: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the findings of the scenarios in which only this side stops or loses work, and the other one is known."""
    beside: dict[tuple[Role, str], list[Fault]] = {}
    for one in others:
        if one.cell.workload is Workload.CONTINUOUS and one.harm is not None:
            beside.setdefault(_place(one), []).append(one)
    found: dict[tuple[Role, str], Fault] = {}
    for one in mine:
        there = beside.get(_place(one), ())
        if _counts(one) and there and not any(map(is_grave, there)):
            found.setdefault(_place(one), one)
    return tuple(found.values())


def _counts(one: Fault) -> bool:
    by_acks = is_mended_by_acks(one) and not loses_and_stops(one)
    return is_grave(one) and not by_acks and one.cell.role not in UNLEVELLED


def _place(one: Fault) -> tuple[Role, str]:
    return one.cell.role, one.cell.scenario
