"""Stops and losses that releases around one have with the library's defaults, where it was not measured so. Pure.

The usual profile hides some of them: the fake cluster loses no record, and only cells of the defaults were played on
real brokers for every scored scenario. A release without such cells is no better for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from probe.catalogue.acks import acks_of
from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family
from probe.cells.audit import Fault
from probe.cells.between import Answer
from probe.cells.causes import is_scored
from probe.cells.lookup_cells import in_usual_profile
from probe.model import Cell, Role, Workload
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import Harm
from probe.model.profile import OWN_DEFAULTS


def unmeasured(
    family: Family, version: str, roles: Collection[Role], known: Collection[Cell], line: str, *, usual: bool = False
) -> Iterator[Cell]:
    """Yield the scored cells of the library's defaults that a release lacks; with `usual` those of usual profiles, too.

    `known` are the cells that were measured. A scenario that the library's defaults cannot meet is left out.
    """
    for scored in (one for role in Role if role in roles for one in baseline().of(role)):
        own = Cell(family.family, version, scored.role, OWN_DEFAULTS, scored.scenario, DEFAULT_ENGINE, line)
        if scored.acks_all and not acks_of(family, own).is_all:
            continue
        cells = (own, in_usual_profile(own, family)) if usual else (own,)
        yield from (one for one in cells if one not in known)


def suspicions(cells: Iterable[Cell], answer: Answer, faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return what releases around one answer for cells that it lacks, where work stops or is lost.

    Where its own trials show that already, nothing is suspected.
    """
    return tuple(filter(is_grave, guesses(cells, answer, faults)))


def guesses(cells: Iterable[Cell], answer: Answer, faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the same, and where work goes on."""
    bad = {_place(one.cell) for one in faults if one.is_proven and is_grave(one)}
    return tuple(one for cell in cells if _place(cell) not in bad and (one := answer(cell)) is not None)


def _place(cell: Cell) -> tuple[str, Role, str]:
    return cell.version, cell.role, cell.scenario


def is_grave(one: Fault) -> bool:
    """Return whether a finding is that work stops or is lost where the baseline scores it."""
    is_usual = one.cell.workload is Workload.CONTINUOUS
    return is_usual and one.harm is not None and one.harm.rank >= Harm.STOPS and is_scored(one)
