"""Settled cells of evidence that ships, which answer on the pages where the rows of a matrix do not. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from probe.cells.aggregate import SettledCell
from probe.model import Cell, Client

_NONE: Mapping[Cell, SettledCell] = MappingProxyType({})


class Shipped:
    """Settled cells of evidence that ships, by client."""

    def __init__(self, cells: Iterable[SettledCell] = ()) -> None:
        self._clients: dict[Client, dict[Cell, SettledCell]] = {}
        for one in cells:
            self._clients.setdefault(one.cell.client, {})[one.cell] = one

    @property
    def clients(self) -> Iterable[Client]:
        """The clients of which there are cells."""
        return self._clients.keys()

    @property
    def cells(self) -> Iterable[SettledCell]:
        """All cells."""
        return (one for mine in self._clients.values() for one in mine.values())

    def of_client(self, client: Client) -> Mapping[Cell, SettledCell]:
        """Return the cells of one client version."""
        return self._clients.get(client, _NONE)


NOTHING = Shipped()
"""No evidence that ships."""


def source(cells: Iterable[SettledCell]) -> str:
    """Return the source of cells that ship: `from shipped evidence, measured on 2026-11-27`; empty without cells."""
    cells = list(cells)
    dates = sorted({one.origin.measured for one in cells if one.origin is not None} - {""})
    if not cells:
        return ""
    if not dates:
        return "from shipped evidence"
    when = f"on {dates[0]}" if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f"from shipped evidence, measured {when}"
