"""Fixes drawn from change logs: each release with a fix as a build beside the release without it (docs/check.md).

    python benchmarks/fixes.py RESULTS [--family FAMILY] [--only ENTRY] [--at-once 6] [--seconds 360] [--read]

`fixes.toml` has the entries of five change logs that may be drawn, `fixes_drawn.toml` the 40 that a seed draws, with
the scenario, role and settings in which each should show, as its source says. A check must call the release with the
fix better. What was said is kept in RESULTS/fixes.tsv, and not played again: the command goes on where it stopped.
Prints the table of docs/check.md; `--read` plays nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.build_checks import options, play_all
from benchmarks.history_table import NOT_PLAYED, Row, Table
from probe.cells.cell_names import cell_name
from probe.cells.comparison import Answer
from probe.cli.console.streams import OUT
from probe.cli.wiring.check_plan import Questions, Sides
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, Profile, Role
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE
from probe.model.release_lines import DEFAULT_LINE

FOLDER = Path(__file__).resolve().parent
SEED, DRAWN = 60, 40
TABLE = "fixes.tsv"
"""The file in a folder of results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """An entry of a change log."""

    family: str
    entry: str
    before: str
    """The last release without the fix that its registry serves."""
    fixed: str
    """The first release with it."""
    what: str

    @property
    def name(self) -> str:
        """Library and entry."""
        return f"{self.family} {self.entry}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The place where a fix should show, written down before its first trial."""

    family: str
    entry: str
    why: str
    """The source that was read; where there is no scenario, the reason."""
    predicted: str = ""
    """`better` or `same`; empty = no scenario can show it."""
    scenario: str = ""
    role: str = ""
    profile: str = DEFAULT_PROFILE
    missed: str = ""
    """Why it was not called better, written down afterwards."""

    @property
    def name(self) -> str:
        """Library and entry."""
        return f"{self.family} {self.entry}"


@dataclass(frozen=True, slots=True)
class Case:
    """The release with a fix as a build beside the release without it."""

    fix: Fix
    place: Expected
    wanted = Answer.BETTER

    @property
    def name(self) -> str:
        """Library and entry."""
        return self.fix.name

    @property
    def build(self) -> Cell:
        """The cell of the release with the fix."""
        return self._cell(self.fix.fixed)

    @property
    def release(self) -> Cell:
        """The cell of the release without it."""
        return self._cell(self.fix.before)

    def planned(self, sides: Sides) -> Questions:
        """Return the cells of both sides, with their settings. ProbeError if one of them has no such cell."""
        profile = Profile.parse(self.place.profile)
        selection = RunSelection(
            chosen=(sides.release, sides.build),
            scenarios=[self.place.scenario],
            roles=[Role(self.place.role)],
            profiles=[profile.name],
            properties=[f"{key}={value}" for key, value in profile.properties],
        )
        plan, whole = selection.whole()
        return Questions({item.cell: item for item in plan.cells}, whole.seed)

    def _cell(self, version: str) -> Cell:
        place = self.place
        return Cell(
            family=self.fix.family,
            version=version,
            role=Role(place.role),
            profile=place.profile,
            scenario=place.scenario,
            engine=DEFAULT_ENGINE,
            broker=DEFAULT_LINE,
        )


def fixes(file: Path = FOLDER / "fixes.toml") -> list[Fix]:
    """Return the entries that may be drawn."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return [Fix(family=family, **row) for family, table in data.items() for row in table["fixes"]]


def drawn(rows: Sequence[Fix], seed: int = SEED, count: int = DRAWN) -> list[Fix]:
    """Return a draw: the entries of each library are shuffled by the seed, and taken from the libraries in turn."""
    by_family: dict[str, list[Fix]] = {}
    for one in sorted(rows, key=lambda one: one.family):
        by_family.setdefault(one.family, []).append(one)
    for group in by_family.values():
        random.Random(seed).shuffle(group)  # noqa: S311  # a draw of entries
    return [one for rank in zip_longest(*by_family.values()) for one in rank if one is not None][:count]


def expected(file: Path = FOLDER / "fixes_drawn.toml") -> Mapping[str, Expected]:
    """Return what was predicted of the drawn entries, by their names."""
    found = {}
    for row in tomllib.loads(file.read_text(encoding="utf-8"))["drawn"]:
        one = Expected(**row)
        found[one.name] = one
    return found


def cases(rows: Sequence[Fix], places: Mapping[str, Expected], only: Sequence[str] = ()) -> list[Case]:
    """Return the entries that a scenario may show; `only` names entries."""
    found = [Case(one, places[one.name]) for one in rows if places[one.name].scenario]
    return [one for one in found if not only or one.fix.entry in only]


def report(rows: Sequence[Fix], places: Mapping[str, Expected], table: Table) -> Iterator[str]:
    """Yield the table of docs/check.md and its counts."""
    said = {one.name: one for one in table.rows}
    yield "| library, entry | releases | the fault | cell | predicted | said | reason of a miss |"
    yield "|---|---|---|---|---|---|---|"
    results: Counter[str] = Counter()
    for one in rows:
        place, row = places[one.name], said.get(one.name)
        results[_result(place, row)] += 1
        cell = cell_name(Case(one, place).build) if place.scenario else "none"
        cells = one.name, f"{one.before}, {one.fixed}", one.what, cell, place.predicted, _said(row)
        yield f"| {' | '.join(map(str, cells))} | {'' if _is_right(row) else place.missed or _why(place)} |"
    counts = ", ".join(f"{results[name]} {name}" for name in ("right", "wrong", "missed", "without a scenario", "left"))
    yield f"{counts} of {len(rows)}"


def _result(place: Expected, row: Row | None) -> str:
    if not place.scenario:
        return "without a scenario"
    return row.result or NOT_PLAYED if row else "left"


def _is_right(row: Row | None) -> bool:
    return row is not None and row.result == "right"


def _said(row: Row | None) -> str:
    return f"{row.answer}: {row.before} -> {row.after}" if row else ""


def _why(place: Expected) -> str:
    return "" if place.scenario else place.why


def main() -> int:
    """Play cases as long as time holds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(parser)
    parser.add_argument("--read", action="store_true", help="play nothing")
    asked = parser.parse_args()
    rows, places, table = drawn(fixes()), expected(), Table(asked.results, TABLE)
    mine = [one for one in rows if not asked.family or one.family in asked.family]
    if not asked.read:
        play_all(asked, cases(mine, places, asked.only), table)
    for line in report(rows, places, table):
        OUT.print(line, markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
