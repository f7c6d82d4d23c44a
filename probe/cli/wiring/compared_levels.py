"""The levels of both sides of a comparison of versions, from the cells that both have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from probe.catalogue.families import CatalogueError
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.audit import examine
from probe.cells.client_levels import client_levels
from probe.cells.level_changes import LevelChange, level_changes
from probe.cells.levels import RoleLevel
from probe.cells.trends import Step, question
from probe.cli.wiring.catalogue import by_number, families
from probe.cli.wiring.evidence import Evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import OWN_DEFAULTS


def changed_levels(steps: Sequence[Step], evidence: Evidence, line: str) -> list[LevelChange]:
    """Return the roles whose level differs between the sides of steps, which are two versions of one client."""
    if not steps:
        return []
    sides = [[step.before for step in steps], [step.after for step in steps]]
    names = [str(side[0].cell.client) for side in sides]
    own = [_with_defaults(evidence, side[0]) for side in sides]
    shared = {question(cell, "version") for cell in own[0]} & {question(cell, "version") for cell in own[1]}
    levels = [
        _levels(name, side, {cell: one for cell, one in mine.items() if question(cell, "version") in shared}, line)
        for name, side, mine in zip(names, sides, own, strict=True)
    ]
    return level_changes(*levels)


def levels_of_cells(client: str, cells: Iterable[SettledCell], line: str) -> list[RoleLevel]:
    """Return what cells of a client version say of its roles; nothing for a client outside the catalogue."""
    return _levels(client, cells, {}, line)


def _levels(
    client: str, cells: Iterable[SettledCell], defaults: Mapping[Cell, SettledCell], line: str
) -> list[RoleLevel]:
    by_cell = {one.cell: one for one in cells if one.cell.broker == line and one.cell.engine is DEFAULT_ENGINE}
    try:
        (chosen,) = select_clients(families(), [client], by_number)
    except CatalogueError:
        return []
    return client_levels(chosen.family, chosen.client, examine(by_cell, by_cell), {**defaults, **by_cell}, line)


def _with_defaults(evidence: Evidence, side: SettledCell) -> Mapping[Cell, SettledCell]:
    cell = side.cell
    return evidence.find(Wanted(family=[cell.family], version=[cell.version], profile=[OWN_DEFAULTS]))
