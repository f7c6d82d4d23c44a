"""The one later release to go to: it mends most of what stops or loses work, and stops least of what goes on. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from probe.catalogue.baseline import baseline
from probe.catalogue.families import is_local
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.cells.trends import Question, question
from probe.cells.upgrades import Suffered, needs_version
from probe.model import Cell, Client, Workload
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.roles import UNLEVELLED
from probe.model.versions import version_key


@dataclass(frozen=True, slots=True)
class Target:
    """A later release that mends something."""

    version: str
    worse: tuple[Cell, ...] = ()
    """Scored cells in which work goes on today, and stops there."""
    lacking: int = 0
    """Scored cells in which work is known to go on today, and which were not measured there, in any profile of both."""

    @property
    def less_measured(self) -> str:
        """Number of cells that were not measured of it, as the end of a clause; empty = it has all of today."""
        if not self.lacking:
            return ""
        were = "was" if self.lacking == 1 else "were"
        return f" ({counted(self.lacking, 'cell')} in which this one goes on {were} not measured of it)"


def targets(
    bad: Iterable[SettledCell], good: Iterable[SettledCell], stored: Iterable[SettledCell]
) -> dict[Cell, Target]:
    """Return for each cell that a later release is known to mend the release to go to.

    A client has as few of them as mend all that can be mended, the one that mends most scored cells first. `good` are
    cells in which work goes on today.
    """
    later = _Later(list(stored))
    wrong, right = _by_client(filter(_stops_or_loses, bad)), _by_client(good)
    return {
        cell: target
        for client, mine in wrong.items()
        for cell, target in _of_client(mine, right.get(client, ()), later).items()
    }


class _Later:
    """Answers about later releases."""

    def __init__(self, stored: Sequence[SettledCell]) -> None:
        self._suffered = Suffered(stored)
        self._by_question: dict[Question, list[SettledCell]] = {}
        for item in stored:
            self._by_question.setdefault(question(item.cell, "version"), []).append(item)

    def working(self, one: SettledCell) -> frozenset[str]:
        """Return the later releases in which work is known to go on in a cell."""
        return frozenset(item.cell.version for item in self._after(one) if self._suffered.works(item))

    def stopping(self, one: SettledCell) -> frozenset[str]:
        """Return the later releases in which work stops in a cell; none where it stops today by the defaults."""
        if self._suffered.stops(one):
            return frozenset()
        return frozenset(item.cell.version for item in self._after(one) if self._suffered.stops(item))

    def measured(self, one: SettledCell) -> frozenset[str]:
        """Return the later releases that were measured in a cell."""
        return frozenset(item.cell.version for item in self._after(one) if item.judged)

    def _after(self, one: SettledCell) -> Iterable[SettledCell]:
        here = version_key(one.cell.version)
        return (
            item
            for item in self._by_question.get(question(one.cell, "version"), ())
            if version_key(item.cell.version) > here and not is_local(item.cell.version) and item.is_comparable(one)
        )


def _by_client(items: Iterable[SettledCell]) -> dict[Client, list[SettledCell]]:
    found: dict[Client, list[SettledCell]] = {}
    for item in {one.cell: one for one in items}.values():
        found.setdefault(item.cell.client, []).append(item)
    return found


def _of_client(bad: Sequence[SettledCell], good: Sequence[SettledCell], later: _Later) -> dict[Cell, Target]:
    chance = {one.cell for one in bad if _is_chance(one)}
    left = {one.cell: versions for one in bad if (versions := later.working(one))}
    worse: dict[str, list[Cell]] = {}
    for one in good if left else ():
        for version in later.stopping(one) if is_scored_cell(one.cell) else ():
            worse.setdefault(version, []).append(one.cell)
    found: dict[Cell, Target] = {}
    known = _measured(good, later) if left else []
    while left:
        version = _best(left, worse, chance)
        lacking = sum(version not in versions for versions in known)
        target = Target(version, tuple(worse.get(version, ())), lacking)
        mended = [cell for cell, versions in left.items() if version in versions]
        found |= dict.fromkeys(mended, target)
        left = {cell: versions for cell, versions in left.items() if cell not in found}
    return found


def _measured(good: Iterable[SettledCell], later: _Later) -> list[frozenset[str]]:
    """Return the later releases that were measured, for each scored question in which work goes on today."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for one in good:
        if is_scored_cell(one.cell):
            key = one.cell.role, one.cell.scenario
            found[key] = found.get(key, frozenset()) | later.measured(one)
    return [*found.values()]


def _best(
    mending: Mapping[Cell, Collection[str]], worse: Mapping[str, Sequence[Cell]], chance: Collection[Cell]
) -> str:
    """Return the first version that mends most scored cells beyond those that it makes worse; without any, most cells.

    Cells that only some trials stopped in do not decide while others do: their absence elsewhere may be chance.
    """

    def merit(version: str) -> tuple[int, int]:
        mended = [cell for cell, versions in mending.items() if version in versions]
        decisive = sum(is_scored_cell(cell) and cell not in chance for cell in mended)
        return decisive - len(worse.get(version, ())), 0 if decisive else len(mended)

    every = sorted({version for versions in mending.values() for version in versions}, key=version_key)
    return max(every, key=merit)


def _stops_or_loses(item: SettledCell) -> bool:
    harm = harm_in(item)
    return harm is not None and harm.rank >= Harm.STOPS and needs_version(item)


def _is_chance(item: SettledCell) -> bool:
    harm = harm_in(item)
    return harm is not None and harm.is_chance


def is_scored_cell(cell: Cell) -> bool:
    """Return whether a level rests on a cell."""
    is_usual = cell.workload is Workload.CONTINUOUS and cell.role not in UNLEVELLED
    return is_usual and baseline().find(cell.scenario, cell.role) is not None
