"""The measured versions of a library in one role, scenario, engine and line, and which of them are known neighbours.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from probe.catalogue.families import is_local
from probe.cells.aggregate import SettledCell
from probe.cells.trends import Question, question
from probe.model.versions import version_key

PATCH = re.compile(r"(\d+(?:\.\d+)*\.)(\d+)")


def fails(settled: SettledCell) -> bool:
    """Return whether a client does not conform in any of its trials."""
    return settled.judged and all(item.conforms is False for item in settled.verdicts)


@dataclass(frozen=True, slots=True)
class Series:
    """Settled cells that differ in the version only and are comparable, by version, ascending."""

    cells: tuple[SettledCell, ...]

    def mended(self) -> tuple[SettledCell, ...]:
        """Return the cells that fail in every trial and are followed by a later version that conforms."""
        good = [number for number, one in enumerate(self.cells) if one.conforms]
        return tuple(one for number, one in enumerate(self.cells) if good and number < good[-1] and fails(one))

    def first_good(self, bad: SettledCell) -> SettledCell | None:
        """Return the first later version that conforms, or None."""
        later = self.cells[self.cells.index(bad) + 1 :]
        return next((one for one in later if one.conforms), None)

    def ranges(self) -> list[tuple[str, str]]:
        """Return the first failing and the first conforming version of every range without an unmeasured release.

        A range begins after a version that conforms and ends before one; in between every version fails in every trial.
        """
        found: list[tuple[str, str]] = []
        first = ""
        for before, after in pairwise(self.cells):
            if not are_neighbours(before.cell.version, after.cell.version):
                first = ""
            elif fails(after):
                first = after.cell.version if before.conforms else first
            else:
                if first and after.conforms:
                    found.append((first, after.cell.version))
                first = ""
        return found


def are_neighbours(older: str, newer: str) -> bool:
    """Return whether no release can lie between two versions, by their numbers alone: 1.43.2 and 1.43.3."""
    one, other = PATCH.fullmatch(older), PATCH.fullmatch(newer)
    return one is not None and other is not None and one[1] == other[1] and int(one[2]) + 1 == int(other[2])


def series(cells: Iterable[SettledCell]) -> Mapping[Question, Series]:
    """Group judged cells of released versions by their question.

    Those that are not comparable with the newest conditions of their question are left out.
    """
    found: dict[Question, list[SettledCell]] = {}
    for one in cells:
        if one.judged and not is_local(one.cell.version):
            found.setdefault(question(one.cell, "version"), []).append(one)
    return {key: _series(mine) for key, mine in sorted(found.items())}


def _series(mine: Sequence[SettledCell]) -> Series:
    newest = max(mine, key=lambda one: one.since)
    kept = (one for one in mine if one.is_comparable(newest))
    return Series(tuple(sorted(kept, key=lambda one: version_key(one.cell.version))))
