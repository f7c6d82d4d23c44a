"""The cells of one family, read once, for look-ups that ask about each of its releases in turn."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from probe.cells.aggregate import SettledCell
from probe.evidence.cell_choice import Wanted
from probe.model import Cell

if TYPE_CHECKING:
    from probe.cells.kip_signs import Handshakes

T = TypeVar("T")
ByPlace = dict[tuple[str, str], dict[str, dict[Cell, T]]]
"""By engine and release line, then by version."""


class CellSource(Protocol):
    """The cells that releases around an unmeasured one are asked for: `Evidence`, or one family of it."""

    def races_of(self, named: Collection[str]) -> Collection[SettledCell]:
        """Return the cells of families whose trials disagree."""

    def counts(self, family: str, engine: str, line: str) -> Mapping[str, int]:
        """Return the number of cells of each version of a family on a release line."""

    def questions(self, wanted: Wanted, version: str) -> set[Cell]:
        """Return the wanted cells of any version as those of one version."""

    def find(self, wanted: Wanted) -> Mapping[Cell, SettledCell]:
        """Return the answers about the wanted cells."""

    def handshakes(self, wanted: Wanted) -> Handshakes:
        """Return what clients sent first on their connections."""


class FamilyCells:
    """The answers of evidence about one family, in memory."""

    def __init__(
        self,
        family: str,
        stored: Mapping[Cell, SettledCell],
        handshakes: Handshakes,
        races: Collection[SettledCell],
    ) -> None:
        self._family = family
        self._stored = _by_place(stored)
        self._handshakes = _by_place(handshakes)
        self._races = races

    def counts(self, family: str, engine: str, line: str) -> Mapping[str, int]:
        """Return the number of cells of each version; none of another family."""
        held = self._stored.get((engine, line), {}) if family == self._family else {}
        return {version: len(mine) for version, mine in held.items()}

    def races_of(self, named: Collection[str]) -> Collection[SettledCell]:
        """Return the cells of the family whose trials disagree."""
        return self._races if self._family in named else ()

    def questions(self, wanted: Wanted, version: str) -> set[Cell]:
        """Return the wanted cells of any version as those of one version."""
        return {replace(cell, version=version) for cell, _ in _within(self._stored, wanted)}

    def find(self, wanted: Wanted) -> Mapping[Cell, SettledCell]:
        """Return the answers about the wanted cells."""
        return dict(_within(self._stored, wanted))

    def handshakes(self, wanted: Wanted) -> Handshakes:
        """Return what clients sent first on their connections."""
        return dict(_within(self._handshakes, wanted))


def _by_place(found: Mapping[Cell, T]) -> ByPlace[T]:
    placed: ByPlace[T] = {}
    for cell, one in found.items():
        placed.setdefault((str(cell.engine), cell.broker), {}).setdefault(cell.version, {})[cell] = one
    return placed


def _within(placed: ByPlace[T], wanted: Wanted) -> Iterator[tuple[Cell, T]]:
    """Yield the wanted cells; a selection without engine, line or version has all of these."""
    rest = {
        one.name: getattr(wanted, one.name)
        for one in fields(Wanted)
        if one.name not in {"engine", "broker", "version", "outcome"} and getattr(wanted, one.name) is not None
    }
    for (engine, line), by_version in placed.items():
        if not (_has(wanted.engine, engine) and _has(wanted.broker, line)):
            continue
        for version in by_version if wanted.version is None else wanted.version:
            for cell, one in by_version.get(version, {}).items():
                if all(getattr(cell, name) in some for name, some in rest.items()):
                    yield cell, one


def _has(wanted: Collection[str] | None, value: str) -> bool:
    return wanted is None or value in wanted
