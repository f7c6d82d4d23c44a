"""Releases checked as builds in pull requests, several in one run: what `history.py` and `fixes.py` share.

Each case has a release as the build (`path:` as `benchmarks/release_sources.py` makes it) beside another one, in one
cell, and is played by the procedure of `probe check`. What was said is kept in a table, and not played again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from benchmarks.history_table import NOT_PLAYED, Row, Table
from benchmarks.release_sources import release_source
from probe.cells.cell_names import cell_name
from probe.cells.comparison import MORE, Answer, Compared
from probe.cells.comparison_steps import compared_steps
from probe.cells.trends import question
from probe.cli.console.streams import say
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.check_plan import Questions, Sides, sides_of
from probe.cli.wiring.check_trials import Player, played_steps
from probe.cli.wiring.fresh_trials import Both
from probe.drivers.provision import provision, resolve
from probe.errors import ProbeError
from probe.model import Cell

SILENCE_S = 200.0
"""No run begins with less than this time left: a screen and two rounds of the longest observations."""


class Case(Protocol):
    """One release as a build beside another, in a cell."""

    @property
    def name(self) -> str:
        """The name of the case in the table, with `wanted`."""

    @property
    def build(self) -> Cell:
        """The cell of the release that is the build."""

    @property
    def release(self) -> Cell:
        """The cell of the release beside it."""

    @property
    def wanted(self) -> Answer:
        """The answer that a check must give."""

    def planned(self, sides: Sides) -> Questions:
        """Return the cells of both sides, with their control cells. ProbeError if these cannot be played."""


class Prepared:
    """The questions of some cases, merged, and the pair of cells of each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.questions = Questions()
        self.both: dict[int, tuple[Case, Both]] = {}
        self.build_s: dict[int, float] = {}

    def add(self, number: int, case: Case) -> None:
        """Build both sides of a case and plan its cells. ProbeError if that fails."""
        cell, family = case.build, families()[case.build.family]
        began = time.monotonic()
        place = release_source(family, resolve(family, cell.version), self._folder)
        sides = sides_of(f"{family.family}@path:{place}", case.release.version)
        for one in (sides.build, sides.release):
            provision(one.family, one.version)
        self.build_s[number] = time.monotonic() - began
        planned = case.planned(sides)
        mine = planned.pairs(sides).get(question(cell, "version"))
        if mine is None:
            raise ProbeError(f"a check of {sides.build.client} does not play {cell}")
        self.both[number] = case, mine
        self.questions.planned.update(planned.planned)
        self.questions.races |= planned.races
        self.questions.seed = planned.seed


def options(parser: argparse.ArgumentParser) -> None:
    """Declare what these commands share."""
    parser.add_argument("results", type=Path)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--only", action="append", metavar="ID", default=[])
    parser.add_argument("--at-once", type=int, default=6, help="cases of one run")
    parser.add_argument("--exactly", type=int, metavar="N", help="trials in flight, whatever else the machine does")
    parser.add_argument("--seconds", type=float, default=360.0)


def play_all(asked: argparse.Namespace, every: Sequence[Case], table: Table) -> None:
    """Play what the table lacks, as long as time holds."""
    until = time.monotonic() + asked.seconds
    left = [one for one in every if not table.has(one.name, one.wanted)]
    while left and time.monotonic() + SILENCE_S < until:
        now, left = left[: asked.at_once], left[asked.at_once :]
        say(f"{len(now)} cases, the first is {now[0].name}")
        play(asked.results, now, table, asked.exactly)


def play(results: Path, some: Sequence[Case], table: Table, exactly: int | None) -> None:
    """Play some cases in one run, and keep what is said of each."""
    made = Prepared(results / "sources")
    for number, case in enumerate(some):
        try:
            made.add(number, case)
        except ProbeError as error:
            table.add(_row(case, None, str(error)))
    if not made.both:
        return
    player = Player(results=str(results / "trials"), jobs=None, questions=made.questions, exactly=exactly)
    began = time.monotonic()

    def add(found: Sequence[Compared]) -> None:
        """Keep answers as they come, each once: a run that is interrupted loses only what is not decided yet."""
        run = f"{time.monotonic() - began:.0f}"
        said = {(one.step.before.cell, one.step.after.cell): one for one in found}
        for number, (case, both) in made.both.items():
            if both in said and not table.has(case.name, case.wanted):
                row = _row(case, said[both], "")
                table.add(replace(row, build_s=f"{made.build_s[number]:.1f}", run_s=run, at_once=str(len(made.both))))

    steps, asked = played_steps(player, [both for _, both in made.both.values()], MORE, add)
    add([compared_steps([step], asked)[0] for step in steps])
    for case, _ in made.both.values():
        if not table.has(case.name, case.wanted):
            table.add(_row(case, None, "no trial of it ended"))


def _row(case: Case, found: Compared | None, reason: str) -> Row:
    before, after = (found.step.before, found.step.after) if found else (None, None)
    if found and found.answer is Answer.UNCLEAR:
        reason = found.step.after.reason
    return Row(
        name=case.name,
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
