"""Known results whose contrast is another version of the library, checked as builds in pull requests (docs/check.md).

    python benchmarks/history.py RESULTS [--family FAMILY] [--only ID] [--at-once 6] [--seconds 360]

For each of them the worse release is the build (`path:` as `benchmarks/release_sources.py` makes it) beside the better
one, which must be `worse`, and the better release beside the worse one, which must be `better`; both with the entry's
scenario and settings, by the procedure of `probe check`, some in one run. What was said is kept in
RESULTS/history.tsv, and not played again: the command goes on where it stopped. Which release is the worse one says the
evidence that ships, by harm; without evidence it is the entry's. Where that harm is the same on both sides there is
nothing to flag: such pairs are counted apart, and not played. Prints the table and the counts.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.history_table import NOT_PLAYED, Row, Table, report
from benchmarks.known_pairs import Pair, pairs
from benchmarks.release_sources import release_source
from probe.cells.cell_names import cell_name
from probe.cells.comparison import MORE, Answer, Compared
from probe.cells.comparison_steps import compared_steps, expectation
from probe.cells.trends import question
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.check_plan import Questions, Scope, questions, sides_of
from probe.cli.wiring.check_trials import Player, played_steps
from probe.cli.wiring.fresh_trials import Both
from probe.drivers.provision import provision, resolve
from probe.errors import ProbeError
from probe.model import Cell, Profile

SEED = 60
"""The seed of the order of cases."""
LASTS_MS = 60_000
"""Length of an observation beyond which a pair comes last, in milliseconds."""
SILENCE_S = 200.0
"""No run begins with less than this time left: a screen and two rounds of the longest observations."""


@dataclass(frozen=True, slots=True)
class Case:
    """One release as a build beside the other."""

    pair: Pair
    is_worse: bool
    """Whether the build is the worse release."""

    @property
    def build(self) -> Cell:
        """The cell of the release that is the build."""
        return self.pair.worse if self.is_worse else self.pair.better

    @property
    def release(self) -> Cell:
        """The cell of the release beside it."""
        return self.pair.better if self.is_worse else self.pair.worse

    @property
    def wanted(self) -> Answer:
        """The answer that a check must give."""
        return Answer.WORSE if self.is_worse else Answer.BETTER


def cases(rows: Sequence[Pair], only: Sequence[str], wanted: Sequence[str], seed: int = SEED) -> list[Case]:
    """Return both directions of the pairs; `only` and `wanted` name entries and families.

    The pairs of a library are in an order drawn by the seed; the first of each library come first, then the second.
    Those that are watched for minutes come last.
    """
    mine = [one for one in rows if (not only or one.name in only) and (not wanted or one.worse.family in wanted)]
    by_family: dict[str, list[Pair]] = {}
    for one in sorted(mine, key=lambda one: one.name):
        by_family.setdefault(one.worse.family, []).append(one)
    for group in by_family.values():
        random.Random(seed).shuffle(group)  # noqa: S311  # a draw of pairs
    in_turn = [one for rank in zip_longest(*by_family.values()) for one in rank if one is not None]
    in_turn.sort(key=is_long)
    return [Case(one, is_worse) for one in in_turn for is_worse in (True, False)]


def is_long(pair: Pair) -> bool:
    """Return whether a pair may be watched for minutes."""
    play = expectation(pair.worse)
    return play is not None and play.watch_ms > LASTS_MS


class Prepared:
    """The questions of some cases, merged, and the pair of cells of each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.questions = Questions()
        self.both: dict[Case, Both] = {}
        self.build_s: dict[Case, float] = {}

    def add(self, case: Case) -> None:
        """Build both sides of a case and plan its cells. ProbeError if that fails."""
        cell, family = case.build, families()[case.build.family]
        began = time.monotonic()
        place = release_source(family, resolve(family, case.build.version), self._folder)
        sides = sides_of(f"{family.family}@path:{place}", case.release.version)
        for one in (sides.build, sides.release):
            provision(one.family, one.version)
        self.build_s[case] = time.monotonic() - began
        scope = Scope(scenarios=[cell.scenario], roles=[cell.role], profiles=[Profile.parse(cell.profile).name])
        planned = questions(sides, scope)
        mine = planned.pairs(sides).get(question(cell, "version"))
        if mine is None:
            raise ProbeError(f"a check of {sides.build.client} does not play {cell}")
        self.both[case] = mine
        self.questions.planned.update(planned.planned)
        self.questions.races |= planned.races
        self.questions.seed = planned.seed


def play(results: Path, some: Sequence[Case], table: Table, exactly: int | None) -> None:
    """Play some cases in one run, and keep what is said of each."""
    made = Prepared(results / "sources")
    for case in some:
        try:
            made.add(case)
        except ProbeError as error:
            table.add(_row(case, None, str(error)))
    if not made.both:
        return
    player = Player(results=str(results / "trials"), jobs=None, questions=made.questions, exactly=exactly)
    began = time.monotonic()
    steps, asked = played_steps(player, list(made.both.values()), MORE)
    run = f"{time.monotonic() - began:.0f}", str(len(made.both))
    by_cells = {(step.before.cell, step.after.cell): step for step in steps}
    for case, both in made.both.items():
        step = by_cells.get(both)
        found = compared_steps([step], asked)[0] if step else None
        row = _row(case, found, "" if step else "no trial of it ended")
        table.add(replace(row, build_s=f"{made.build_s[case]:.1f}", run_s=run[0], at_once=run[1]))


def _row(case: Case, found: Compared | None, reason: str) -> Row:
    before, after = (found.step.before, found.step.after) if found else (None, None)
    if found and found.answer is Answer.UNCLEAR:
        reason = found.step.after.reason
    return Row(
        name=case.pair.name,
        wanted=str(case.wanted),
        build=str(case.build.client),
        against=str(case.release.version),
        cell=cell_name(case.build),
        answer=found.said if found else NOT_PLAYED,
        before=before.outcomes if before else "",
        after=after.outcomes if after else "",
        trials=str(found.trials if found else 0),
        reason=" ".join(reason.split()),
    )


def main() -> int:
    """Play cases as long as time holds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--only", action="append", metavar="ID", default=[])
    parser.add_argument("--at-once", type=int, default=6, help="cases of one run")
    parser.add_argument("--exactly", type=int, metavar="N", help="trials in flight, whatever else the machine does")
    parser.add_argument("--seconds", type=float, default=360.0)
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    table = Table(asked.results)
    rows, alike = pairs()
    every = cases(rows, asked.only, asked.family)
    left = [one for one in every if not table.has(one.pair.name, one.wanted)]
    while left and time.monotonic() + SILENCE_S < until:
        now, left = left[: asked.at_once], left[asked.at_once :]
        say(f"{len(now)} cases, the first is {now[0].pair.name}")
        play(asked.results, now, table, asked.exactly)
    for line in report(table.rows, alike, Counter(one.build.family for one in every)):
        OUT.print(line, markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
