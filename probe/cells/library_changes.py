"""Later releases of an application whose library by itself goes on where the application stops. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from probe.catalogue.apps import App, Inside
from probe.cells.aggregate import SettledCell
from probe.cells.audit import in_plain_profile
from probe.cells.upgrades import works
from probe.model import Cell


def library_cell(cell: Cell, family: str, version: str) -> Cell:
    """Return the cell of a library in place of that of an application with it inside."""
    return replace(in_plain_profile(cell), family=family, version=version)


def first_change(app: App, version: str, bad: Sequence[Cell], stored: Mapping[Cell, SettledCell]) -> Inside | None:
    """Return the first release after `version` with another library that works in all of these cells; None = none.

    The library was played with its own settings, so it is no proof of the application. A release that was measured
    itself and does not work is none.
    """

    def goes_on(item: Inside) -> bool:
        cells = [stored.get(library_cell(cell, app.family, item.library)) for cell in bad]
        itself = [one for cell in bad if (one := stored.get(replace(cell, version=item.since))) is not None]
        return all(one is not None and works(one) for one in cells) and all(map(works, itself))

    return next((item for item in app.later_releases(version) if goes_on(item)), None) if bad else None


def questions(app: App, version: str, bad: Iterable[Cell]) -> list[Cell]:
    """Return the cells to read for `first_change`."""
    later = [*app.later_releases(version)]
    return [
        one
        for cell in bad
        for item in later
        for one in (library_cell(cell, app.family, item.library), replace(cell, version=item.since))
    ]
