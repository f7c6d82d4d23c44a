"""Find stored cells that conform where a client does not: other profiles, or the smallest upgrade. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from probe.catalogue.families import is_local
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in, stops_beside_loss
from probe.cells.own_defaults import in_defaults
from probe.cells.trends import question
from probe.model import Cell
from probe.model.harm import Harm
from probe.model.profile import OWN_DEFAULTS
from probe.model.versions import version_key


@dataclass(frozen=True, slots=True)
class UpgradeAdvice:
    """Stored cells that conform where another cell does not."""

    profiles: tuple[SettledCell, ...]
    """The same version in other profiles."""
    upgrade: SettledCell | None
    """The smallest later version, at most the requested one, with the same profile."""
    last_bad: str
    """The newest stored version below that upgrade; empty if there is no upgrade."""


def advise_upgrade(bad: SettledCell, until: str, stored: Iterable[SettledCell]) -> UpgradeAdvice:
    """Return the stored cells that conform in place of `bad`, measured under comparable conditions."""
    cells = [item for item in stored if item.is_comparable(bad)]
    same = [item for item in cells if question(item.cell, "version") == question(bad.cell, "version")]
    later = sorted(
        (item for item in same if _above(item.cell, bad.cell.version) and _within(item.cell, until)),
        key=lambda item: version_key(item.cell.version),
    )
    upgrade = next((item for item in later if item.passes), None)
    below = [item for item in [bad, *later] if upgrade is not None and not _above(item.cell, upgrade.cell.version)]
    versions = [item.cell.version for item in below if item is not upgrade]
    own = [
        item
        for item in cells
        if item.passes and item.cell != bad.cell and question(item.cell, "profile") == question(bad.cell, "profile")
    ]
    return UpgradeAdvice(
        tuple(sorted(own, key=lambda item: item.cell.profile)),
        upgrade,
        max(versions, key=version_key) if upgrade is not None and versions else "",
    )


def next_conforming(bad: Iterable[SettledCell], stored: Iterable[SettledCell]) -> dict[Cell, str]:
    """Return for each cell the version of its smallest later version that is known to pass, where there is one."""
    return _next(bad, stored, lambda item: item.passes)


def next_harmless(bad: Iterable[SettledCell], stored: Iterable[SettledCell]) -> dict[Cell, str]:
    """Return for each cell the smallest later version in which work is known to go on, and nothing to be lost.

    Of a cell that lost acknowledged records none is known: the same has to be played on real brokers. Where work stops
    as well, it is the version in which work goes on.
    """
    suffered = Suffered(stored := list(stored))
    return _next(filter(needs_version, bad), stored, suffered.works)


def needs_version(item: SettledCell) -> bool:
    """Return whether more than a setting is wrong: the acknowledgement of writes mends a loss alone."""
    return not item.loses or stops_beside_loss(item)


def works(item: SettledCell) -> bool:
    """Return whether trials that are neither old nor too few show that work goes on and nothing is lost."""
    harm = harm_in(item) if item.judged and not (item.is_old or item.chance) else None
    return harm is not None and harm.rank < Harm.STOPS


class Suffered:
    """Answers for a service: those of the library's own defaults are asked, too, where they were measured."""

    def __init__(self, stored: Iterable[SettledCell]) -> None:
        own = (item for item in stored if item.judged and item.cell.profile == OWN_DEFAULTS)
        self._own = {question(item.cell): item for item in own}

    def works(self, item: SettledCell) -> bool:
        """Return whether work goes on and nothing is lost, and the defaults stop no work either."""
        return works(item) and not self.stops(item)

    def stops(self, item: SettledCell) -> bool:
        """Return whether work stops. A loss is left out: whether a cell was played on real brokers is no change."""
        own = self._of(item)
        harm = harm_in(own) if own.judged else None
        return harm is not None and harm.rank >= Harm.STOPS and not own.loses

    def _of(self, item: SettledCell) -> SettledCell:
        own = in_defaults(item.cell)
        return item if own is None else self._own.get(question(own), item)


def _next(
    bad: Iterable[SettledCell], stored: Iterable[SettledCell], is_good: Callable[[SettledCell], bool]
) -> dict[Cell, str]:
    """Return for each cell the smallest later version that is good. Only those on the way to it are asked whether."""
    wrong = list(bad)
    asked = {question(one.cell, "version"): list[SettledCell]() for one in wrong}
    for item in stored:
        there = asked.get(question(item.cell, "version"))
        if there is not None and not is_local(item.cell.version):
            there.append(item)
    for there in asked.values():
        there.sort(key=lambda item: version_key(item.cell.version))
    found: dict[Cell, str] = {}
    for one in wrong:
        after = (item for item in asked[question(one.cell, "version")] if _above(item.cell, one.cell.version))
        good = next((item for item in after if item.is_comparable(one) and is_good(item)), None)
        if good is not None:
            found[one.cell] = good.cell.version
    return found


def _above(cell: Cell, version: str) -> bool:
    return version_key(cell.version) > version_key(version)


def _within(cell: Cell, until: str) -> bool:
    return not _above(cell, until) and not is_local(cell.version)


def drift(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return the effective settings that differ: name, old and new value; `-` where a driver reports no value."""
    return [
        (name, before.get(name, "-"), after.get(name, "-"))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]
