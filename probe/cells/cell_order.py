"""The order in which answers list cells. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from probe.model import Cell, Workload, control_first
from probe.model.versions import VersionKey, version_key


def in_order(cells: Iterable[Cell]) -> list[Cell]:
    """Order cells by scenario, role and profile, then family, version, line and workload; `steady` comes first."""
    return sorted(cells, key=_order)


def _order(cell: Cell) -> tuple[bool, str, str, str, str, VersionKey, VersionKey, int]:
    return (
        *control_first(cell.scenario),
        str(cell.role),
        cell.profile,
        cell.family,
        version_key(cell.version),
        version_key(cell.broker),
        list(Workload).index(cell.workload),
    )
