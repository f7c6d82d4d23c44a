"""The levels of a client from settled cells: which cells of each scored scenario count. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from probe.catalogue.baseline import Scored, baseline
from probe.cells.aggregate import SettledCell
from probe.cells.audit import UNPROVEN, Fault, Finding, examine
from probe.cells.cell_harm import harms_of
from probe.cells.levels import Known, RoleLevel, level_of
from probe.cells.lines import completed
from probe.cells.own_defaults import in_defaults
from probe.model import Cell, Role, Workload
from probe.model.engines import ENGINES
from probe.model.harm import Harm, TrialHarm
from probe.model.profile import OWN_DEFAULTS


def levels_of(
    faults: Iterable[Fault],
    stored: Mapping[Cell, SettledCell],
    line: str,
    is_asked: Callable[[Role, Scored], bool] = lambda *_: True,
) -> list[RoleLevel]:
    """Return what is said of each role in which something is known.

    It follows from the findings of the usual profiles, and from the cells of the library's defaults on a release line.
    `is_asked` says whether the client can meet a scenario in a role with its defaults. Where only `isolated` is known,
    what was played so counts as well: drivers may set acks there.
    """
    faults = list(faults)
    found = []
    for role in Role:
        known = _known(role, faults, stored, line)
        if known.isolated or known.defaults:
            other = frozenset() if known.defaults else known.isolated.keys()
            scored = [one for one in baseline().of(role) if is_asked(role, one) or one.scenario in other]
            found.append(level_of(role, scored, known))
    return found


def as_suffered(faults: Iterable[Fault], stored: Mapping[Cell, SettledCell]) -> tuple[Fault, ...]:
    """Return the findings with those of the library's defaults in place of `isolated`, where these were measured.

    A refresh brings no lost record back, so a loss stays one. Where they were measured on other lines only, these tell.
    """
    faults = tuple(faults)
    known = completed(filter(None, map(_own, faults)), stored)
    return tuple(_graver_loss(fault, _with_defaults(fault, known)) for fault in faults)


def _graver_loss(plain: Fault, own: Fault) -> Fault:
    if own.finding is Finding.UNKNOWN:
        return plain
    lost, other = plain.harm, own.harm
    loses = lost is not None and lost.rank is Harm.LOSES and (other is None or other.rank < Harm.LOSES)
    return plain if loses else own


def _with_defaults(fault: Fault, stored: Mapping[Cell, SettledCell]) -> Fault:
    cell = _own(fault)
    own = stored.get(cell) if cell is not None else None
    if cell is None or own is None or not own.judged:
        return fault
    return replace(examine([cell], stored)[0], stand_in=fault.stand_in)


def _own(fault: Fault) -> Cell | None:
    """Return the cell of the defaults; none for a guess, which the commit of a release that nobody serves is not."""
    is_guess = bool(fault.stand_in) and not fault.is_proven
    return None if is_guess else in_defaults(fault.cell)


def _known(role: Role, faults: Iterable[Fault], stored: Mapping[Cell, SettledCell], line: str) -> Known:
    own, real = (_defaults(role, stored, line, real=real) for real in (False, True))
    mine = [fault for fault in faults if fault.cell.role is role and _is_usual(fault.cell)]
    isolated = {
        fault.cell.scenario: harms_of(fault.evidence)
        for fault in mine
        if fault.finding not in UNPROVEN and fault.evidence is not None
    }
    undecided = frozenset(fault.cell.scenario for fault in mine if fault.finding is Finding.UNKNOWN and fault.is_own)
    return Known(defaults=own, real=real, isolated=isolated, undecided=undecided)


def _defaults(
    role: Role, stored: Mapping[Cell, SettledCell], line: str, *, real: bool
) -> dict[str, tuple[TrialHarm, ...]]:
    return {
        cell.scenario: harms_of(settled)
        for cell, settled in stored.items()
        if cell.role is role
        and cell.profile == OWN_DEFAULTS
        and cell.broker == line
        and _is_usual(cell)
        and ENGINES[cell.engine].real is real
        and settled.judged
    }


def _is_usual(cell: Cell) -> bool:
    return cell.workload is Workload.CONTINUOUS
