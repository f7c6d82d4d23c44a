"""The harm of trials (docs/harm.md) as comparisons ask for it: by three yes-or-no questions. Pure.

A trial that stops or loses also stalls, and one that stalls is also worse than one with errors, so each question
includes the graver ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harms_of
from probe.model.cell import Engine, Role
from probe.model.harm import Harm

QUESTIONS = (Harm.STOPS, Harm.STALLS, Harm.ERRORS)
"""The questions, gravest first: does a trial have this harm or a greater one?"""
WORDS: Mapping[Harm, str] = MappingProxyType(
    {Harm.NONE: "no harm", Harm.ERRORS: "errors or burdens", Harm.STALLS: "stalls", Harm.STOPS: "stops or loses"}
)
"""The questions in words, for people."""


def asked_as(rank: Harm) -> Harm:
    """Return the gravest question that a harm answers with yes; `NONE` = none."""
    return next((one for one in QUESTIONS if rank >= one), Harm.NONE)


def harms(settled: SettledCell, *, alike: bool = False) -> tuple[Harm, ...]:
    """Return the harms of the trials of a cell by question, in their order; none where nothing is required.

    With `alike` it is compared with a side that recovers after about the same time, so that to stall is no harm.
    """
    if settled.conforms is None and not settled.refusal:
        return ()
    found = (asked_as(one.rank) for one in harms_of(settled))
    return tuple(Harm.NONE if alike and one is Harm.STALLS else one for one in found)


ChanceKey = tuple[str, str, Role, Engine]
"""Family, scenario, role and engine."""


def chance_key(settled: SettledCell) -> ChanceKey:
    """Return what a cell shares with the others in which chance decides, too."""
    cell = settled.cell
    return cell.family, cell.scenario, cell.role, cell.engine


def of_chance(cells: Iterable[SettledCell]) -> frozenset[ChanceKey]:
    """Return the family, scenario, role and engine of every cell whose trials differ in harm."""
    return frozenset(chance_key(one) for one in cells if len(one.verdicts) > 1 and len(set(harms(one))) > 1)
