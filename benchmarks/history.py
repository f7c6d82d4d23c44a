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
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.build_checks import options, play_all
from benchmarks.history_table import Table, report
from benchmarks.known_pairs import Pair, pairs
from probe.cells.comparison import Answer
from probe.cells.comparison_steps import expectation
from probe.cli.console.streams import OUT
from probe.cli.wiring.check_plan import Questions, Scope, Sides, questions
from probe.model import Cell, Profile

SEED = 60
"""The seed of the order of cases."""
LASTS_MS = 60_000
"""Length of an observation beyond which a pair comes last, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Case:
    """One release as a build beside the other."""

    pair: Pair
    is_worse: bool
    """Whether the build is the worse release."""

    @property
    def name(self) -> str:
        """The identifier of the known result."""
        return self.pair.name

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

    def planned(self, sides: Sides) -> Questions:
        """Return the cells of both sides, with the settings of the known result."""
        cell = self.build
        profiles = [Profile.parse(cell.profile).name]
        return questions(sides, Scope(scenarios=[cell.scenario], roles=[cell.role], profiles=profiles))


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


def main() -> int:
    """Play cases as long as time holds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options(parser)
    asked = parser.parse_args()
    table = Table(asked.results)
    rows, alike = pairs()
    every = cases(rows, asked.only, asked.family)
    play_all(asked, every, table)
    for line in report(table.rows, alike, Counter(one.build.family for one in every)):
        OUT.print(line, markup=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
