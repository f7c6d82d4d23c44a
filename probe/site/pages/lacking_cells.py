"""The scored scenarios that a client's results lack, from evidence that ships (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from probe.catalogue.baseline import baseline
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.model import Role
from probe.model.harm import Harm
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.scenarios.own_profiles import profile_of
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.results import Result, of_shipped


def lacking(rows: Sequence[MatrixRow], shipped: Iterable[SettledCell], line: str) -> list[Result]:
    """Return a cell of each scored scenario in each role that was not played, by role, the worst first.

    It is that of the library's defaults where there is one, of the engines the one whose own trials show the graver
    harm.
    """
    played = {row.cell for row in rows if row.is_current}
    found: dict[tuple[Role, str], SettledCell] = {}
    for held in shipped:
        cell = held.cell
        asked = cell.role, cell.scenario
        if cell.broker != line or cell in played or baseline().find(cell.scenario, cell.role) is None:
            continue
        if asked not in found or _weight(held) > _weight(found[asked]):
            found[asked] = held
    return sorted(map(of_shipped, found.values()), key=_order)


def _weight(held: SettledCell) -> tuple[int, int, bool]:
    cell, harm = held.cell, harm_in(held)
    usual = (OWN_DEFAULTS, profile_of(cell.scenario), DEFAULT_PROFILE)
    place = usual.index(cell.profile) if cell.profile in usual else len(usual)
    return -place, -1 if harm is None else harm.rank, held.real is None


def _order(one: Result) -> tuple[int, int, str]:
    worst = Harm.NONE - 1 if one.harm is None else one.harm
    return list(Role).index(one.cell.role), -worst, one.cell.scenario
