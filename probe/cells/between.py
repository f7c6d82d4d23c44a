"""Answers of the nearest measured releases on both sides, for one that was not measured. Pure.

Both sides prove `likely` where they show the same harm and nothing is known to differ: one line of releases
(major.minor, or the order of release where a library maintains one line), the same defaults, the same requests on the
wire, nothing taken back, and no cell in which chance decides. Elsewhere they make it `suspected`. A stop that a
neighbour denies says nothing about what is beside it until each of both has five trials: of seven that were played
again two were chance, and two were not seen again. A neighbour says nothing of the library's defaults where it does
another harm than the release itself in the scenario's usual profile.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding, in_plain_profile
from probe.cells.harm import WORDS, ChanceKey, chance_key, harms
from probe.cells.own_defaults import in_usual
from probe.cells.trends import Question, question
from probe.model import Cell
from probe.model.harm import Harm
from probe.model.versions import VersionKey, line_of, version_key

ENOUGH = 5
"""Trials that a cell needs where a neighbour shows otherwise."""
WEAKER: Mapping[Finding, Finding] = {
    Finding.LIKELY_STOPS: Finding.SUSPECTED,
    Finding.LIKELY_FAILS: Finding.SUSPECTED,
    Finding.LIKELY_FINE: Finding.SUSPECTED_FINE,
}
"""Finding of both sides where something changed between them."""

Difference = Callable[[Cell, str, str], str]
"""Reason why two releases around a cell's version tell nothing for certain, as a clause; empty = there is none."""

Another = Callable[[str, str], bool]
"""Whether two releases of an application have other libraries inside."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest releases in one direction that were measured in a cell, the nearest first."""

    cells: tuple[SettledCell, ...]

    @property
    def nearest(self) -> SettledCell:
        """Return the nearest one."""
        return self.cells[0]

    @property
    def harm(self) -> Harm:
        """Return the gravest harm of the nearest one."""
        return _harm(self.nearest)

    @property
    def is_contested(self) -> bool:
        """Whether the release beyond denies a stop, or shows one, and either has too few trials to tell."""
        if len(self.cells) < 2:
            return False
        pair = self.cells[:2]
        differ = len({_harm(item) is Harm.STOPS for item in pair}) > 1
        return differ and any(len(item.verdicts) < ENOUGH for item in pair)


class Between:
    """Answers for releases that were not measured, from those around them."""

    def __init__(
        self,
        stored: Iterable[SettledCell],
        chance: Collection[ChanceKey],
        difference: Difference,
        is_another: Another = lambda _version, _other: False,
    ) -> None:
        """`chance` has the cells in which chance decides; `difference` compares two releases.

        `is_another` is whether a release is another client than its neighbour, which then tells nothing about it.
        """
        self._by_question: dict[Question, list[SettledCell]] = {}
        self._chance = chance
        self._difference = difference
        self._is_another = is_another
        for item in stored:
            if item.judged and harms(item):
                self._by_question.setdefault(question(item.cell, "version"), []).append(item)
        for items in self._by_question.values():
            items.sort(key=_place)

    def answer(self, cell: Cell, among: Collection[str] | None = None) -> Fault | None:
        """Return what is likely or suspected of a cell; None if no release around it tells.

        A configuration that was measured on no side is answered by the library's own settings, as `suspected`. `among`
        are the releases that may answer; None = all that are stored.
        """
        for asked in dict.fromkeys((cell, in_plain_profile(cell))):
            older, newer = self._sides(asked, among)
            if older or newer:
                found = self._of(cell, older, newer)
                return found if asked == cell or found is None else _weaker(found)
        return None

    def _asked(self, cell: Cell) -> Sequence[SettledCell]:
        return self._by_question.get(question(cell, "version"), ())

    def _sides(self, cell: Cell, among: Collection[str] | None) -> tuple[Nearest | None, Nearest | None]:
        here = version_key(cell.version)
        items = [one for one in self._asked(cell) if among is None or one.cell.version in among]
        before = items[: bisect_left(items, here, key=_place)][::-1]
        after = items[bisect_right(items, here, key=_place) :]
        older, newer = (
            Nearest(tuple(side)) if side and self._is_like(cell, side[0]) else None for side in (before, after)
        )
        return older, newer

    def _is_like(self, cell: Cell, other: SettledCell) -> bool:
        """Whether both are one client, and nothing is known of another profile in which they differ."""
        if self._is_another(cell.version, other.cell.version):
            return False
        usual, both = in_usual(cell), {cell.version, other.cell.version}
        stored = self._asked(usual) if usual is not None else ()
        return len({max(harms(item)) for item in stored if item.cell.version in both}) < 2

    def _of(self, cell: Cell, older: Nearest | None, newer: Nearest | None) -> Fault | None:
        if older is None or newer is None:
            return self._by_one(cell, older or newer, "before" if older is not None else "after")
        worse = max((older.nearest, newer.nearest), key=_harm)
        why = self._why(cell, older, newer)
        named = " and ".join(f"{side.nearest.cell.version} ({WORDS[side.harm]})" for side in (older, newer))
        words = f"not measured; between {named}{f': {why}' if why else ''}"
        claim = _claim(older.harm, newer.harm)
        found = Fault(cell, claim or Finding.SUSPECTED, worse, stand_in=words)
        return _weaker(found) if why else found

    def _by_one(self, cell: Cell, side: Nearest | None, where: str) -> Fault | None:
        """Return what one side alone makes suspected; no harm only of a release of its own major version."""
        if side is None:
            return None
        name = side.nearest.cell.version
        words = f"not measured; by {name}, the nearest measured release {where} it"
        if side.harm is not Harm.NONE:
            return Fault(cell, Finding.SUSPECTED, side.nearest, stand_in=words)
        differs = line_of(name) != line_of(cell.version) or bool(self._difference(cell, name, name))
        return None if differs else Fault(cell, Finding.SUSPECTED_FINE, side.nearest, stand_in=words)

    def _why(self, cell: Cell, older: Nearest, newer: Nearest) -> str:
        """Return why both sides prove nothing for certain; empty if they do."""
        if chance_key(older.nearest) in self._chance:
            return "chance decides in this family's cells"
        if older.is_contested or newer.is_contested:
            return f"the release beyond shows otherwise, on fewer than {ENOUGH} trials"
        if not older.nearest.is_comparable(newer.nearest):
            return "measured under different conditions"
        if any(side.nearest.is_old or side.nearest.loses or side.nearest.chance for side in (older, newer)):
            return "too old, too few trials, or records were lost"
        return self._difference(cell, older.nearest.cell.version, newer.nearest.cell.version)


def _claim(older: Harm, newer: Harm) -> Finding | None:
    """Return what two sides claim together; None if they differ."""
    if older is not newer:
        return None
    if older is Harm.STOPS:
        return Finding.LIKELY_STOPS
    return Finding.LIKELY_FINE if older is Harm.NONE else Finding.LIKELY_FAILS


def _weaker(found: Fault) -> Fault:
    return replace(found, finding=WEAKER.get(found.finding, found.finding))


def _harm(item: SettledCell) -> Harm:
    """Return the gravest harm of a cell's trials, or of what real brokers lost."""
    return Harm.STOPS if item.loses else max(harms(item))


def _place(item: SettledCell) -> VersionKey:
    return version_key(item.cell.version)


Answer = Callable[[Cell], "Fault | None"]
"""Finding of the releases around a cell's."""


def filled(faults: Iterable[Fault], answer: Answer) -> tuple[Fault, ...]:
    """Return the findings, those without any evidence answered from the releases around."""
    return tuple(
        (answer(item.cell) or item) if item.finding is Finding.UNKNOWN and item.evidence is None else item
        for item in faults
    )
