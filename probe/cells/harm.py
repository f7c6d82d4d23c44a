"""The cost of a trial for the application, as three yes-or-no questions that comparisons ask. Pure.

A trial that stops also stalls, and one that stalls is also worse than one with errors, so each question includes the
graver ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from types import MappingProxyType

from probe.cells.aggregate import SettledCell
from probe.model.cell import Engine, Outcome, Role
from probe.model.outcomes import OUTCOMES, SAY_NOTHING, STALLS, STOPS
from probe.model.verdicts import Verdict


class Harm(IntEnum):
    """The cost of a trial for the application; the greater, the worse."""

    NONE = 0
    ERRORS = 1
    """An error reached the application where it should not, or the client did not do what the scenario asks for."""
    STALLS = 2
    """It recovered late, or flooded the brokers."""
    STOPS = 3
    """Work stopped, or a promise was broken."""


WORDS: Mapping[Harm, str] = MappingProxyType(
    {Harm.NONE: "no harm", Harm.ERRORS: "errors", Harm.STALLS: "stalls", Harm.STOPS: "stops"}
)
"""The harms in words, for people."""
QUESTIONS = (Harm.STOPS, Harm.STALLS, Harm.ERRORS)
"""The questions, gravest first: does a trial have this harm or a greater one?"""


def harm_of(verdict: Verdict, *, alike: bool = False) -> Harm | None:
    """Return the harm of a trial; None if it says nothing about the client, or nothing was required of it.

    With `alike` it is compared with a side that recovers after about the same time, so that to be late is no harm.
    """
    if verdict.outcome in SAY_NOTHING or verdict.conforms is None:
        return None
    if verdict.outcome is Outcome.LATE and alike:
        return Harm.ERRORS if verdict.facts.has_errors else Harm.NONE
    if verdict.conforms:
        return Harm.NONE
    severity = OUTCOMES[verdict.outcome].severity
    return Harm.STOPS if severity >= STOPS else Harm.STALLS if severity >= STALLS else Harm.ERRORS


def harms(settled: SettledCell, *, alike: bool = False) -> tuple[Harm, ...]:
    """Return the harms of the trials of a cell that have one, in their order. A refused client stops in every trial."""
    if settled.refusal:
        return (Harm.STOPS,) * len(settled.verdicts)
    found = (harm_of(one, alike=alike) for one in settled.verdicts)
    return tuple(one for one in found if one is not None)


ChanceKey = tuple[str, str, Role, Engine]
"""Family, scenario, role and engine."""


def chance_key(settled: SettledCell) -> ChanceKey:
    """Return what a cell shares with the others in which chance decides, too."""
    cell = settled.cell
    return cell.family, cell.scenario, cell.role, cell.engine


def of_chance(cells: Iterable[SettledCell]) -> frozenset[ChanceKey]:
    """Return the family, scenario, role and engine of every cell whose trials differ in harm."""
    return frozenset(chance_key(one) for one in cells if len(one.verdicts) > 1 and len(set(harms(one))) > 1)
