"""Levels of a client from the rows of a matrix, and from evidence that ships for cells that these lack. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family, Version
from probe.catalogue.selectors import Chosen
from probe.cells.aggregate import SettledCell
from probe.cells.client_levels import findings_and_levels
from probe.cells.evidence_choice import choose
from probe.cells.levels import RoleLevel
from probe.model import Cell, Client, Role
from probe.model.profile import OWN_DEFAULTS
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.settled_rows import settled
from probe.site.data.shipped_evidence import Shipped, source


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLevel:
    """A level, or what is said in place of one, with its source."""

    level: RoleLevel
    measured: str = ""
    """The source of what these results lack: `from shipped evidence, measured on 2026-11-27`; empty = they have all."""


def usual_line(rows: Iterable[MatrixRow]) -> str:
    """Return the release line with most rows, the first of equally frequent ones; empty if there is none."""
    counts = Counter(row.cell.broker for row in rows)
    return max(sorted(counts), key=lambda line: counts[line], default="")


def row_levels(
    family: Family | None, client: Client, rows: Sequence[MatrixRow], line: str, shipped: Shipped
) -> list[RowLevel]:
    """Return what is said of each role of a client on a release line; nothing for an unlisted family.

    Of a cell that both its rows and evidence that ships have, the answer is chosen as look-ups choose it.
    """
    if family is None:
        return []
    own = {row.cell: settled(row) for row in rows if row.cell.broker == line and row.is_current}
    other = {cell: one for cell, one in shipped.of_client(client).items() if cell.broker == line}
    asked = Chosen(family, family.find(client.version) or Version(version=client.version))
    _, levels = findings_and_levels(asked, choose([own, other]), line)
    added = [one for cell, one in other.items() if cell not in own]
    return [_marked(one, _counted(one, own.values()), _counted(one, added)) for one in levels]


def _marked(level: RoleLevel, own: Sequence[SettledCell], added: Sequence[SettledCell]) -> RowLevel:
    part = "in part " if own and added else ""
    return RowLevel(level=level, measured=f"{part}{source(added)}")


def _counted(level: RoleLevel, cells: Iterable[SettledCell]) -> list[SettledCell]:
    """Return the cells that count for what is said of a role: where there is a level, those of the defaults."""
    return [one for one in cells if _is_scored(one.cell, level.role) and (level.low is None or _is_own(one.cell))]


def _is_scored(cell: Cell, role: Role) -> bool:
    return cell.role is role and baseline().find(cell.scenario, role) is not None


def _is_own(cell: Cell) -> bool:
    return cell.profile == OWN_DEFAULTS
