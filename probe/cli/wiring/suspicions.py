"""Guesses of a look-up: what releases around one do with the library's defaults, from evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from probe.cells.audit import Fault
from probe.cells.loss_words import as_written
from probe.cells.suspicions import guesses, unmeasured
from probe.cli.wiring.between import around_cells
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import Evidence
from probe.cli.wiring.sides import AskedClient
from probe.model import Cell, Profile, Role


def guessed_of(
    found: Evidence,
    sides: Sequence[AskedClient],
    faults: Sequence[Fault],
    known: Collection[Cell],
    line: str,
    *,
    usual: bool = False,
) -> tuple[Fault, ...]:
    """Return what releases around those that findings are of show in scored cells that these lack.

    None of a client that was not measured itself. `known` are the cells that were measured; with `usual` those of the
    usual profiles are asked for, too.
    """
    cells: list[Cell] = []
    for family in {side.chosen.family.family: side.chosen.family for side in sides if side.is_proven}.values():
        roles: dict[str, set[Role]] = {}
        for one in faults:
            if one.cell.family == family.family and _is_plain(one.cell):
                roles.setdefault(one.cell.version, set()).add(one.cell.role)
        for version, mine in roles.items():
            cells += unmeasured(family, version, mine, known, line, usual=usual)
    around = around_cells(found, families(), cells) if cells else {}
    written = {one.cell: one for one in as_written(around.values(), families())}
    return guesses(cells, written.get, faults)


def _is_plain(cell: Cell) -> bool:
    """Return whether a cell has no settings of an application."""
    return not Profile.parse(cell.profile).properties
