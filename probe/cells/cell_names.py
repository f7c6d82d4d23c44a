"""The name of a question within one client: role, what is unusual, scenario. Pure."""

from __future__ import annotations

from probe.model import Cell
from probe.model.profile import DEFAULT_PROFILE
from probe.model.release_lines import DEFAULT_LINE


def cell_name(cell: Cell) -> str:
    """Return the name of a cell without its client, in which nothing usual is said.

    For instance `producer disk/storage-error`, `group defaults broker/hang keyed on 4.0`.
    """
    profile = "" if cell.profile == DEFAULT_PROFILE else f" {cell.profile}"
    line = "" if cell.broker == DEFAULT_LINE else f" on {cell.broker}"
    return f"{cell.role}{profile} {cell.scenario}{cell.unusual}{line}"
