"""The levels of docs/findings.md, compared with trials that are played anew on the embedded engine.

    python benchmarks/reruns.py RESULTS [--reruns 2] [--client sarama@1.43.2] [--exactly 50] [--read]

Every scored cell of the table's clients that ships with the library's defaults is played once per rerun, into
RESULTS/reruns. A trial is new if its harm allows a lower level than the least one that is printed for its role. A cell
with a new harm, and one whose shipped trials leave a printed level open, is played 20 times in one run, into
RESULTS/more, and the rule of docs/harm.md decides by these 20. It goes on where it was interrupted; `--read` plays
nothing. Exit code 1 if a printed level does not hold, or a cell lacks trials.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.levels import ANY_AGE, LINE, ROLES, chosen
from benchmarks.outcome_counts import say
from probe.catalogue.baseline import Scored, baseline
from probe.catalogue.families import Family
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harms_of
from probe.cells.client_levels import asked_of, findings_and_levels
from probe.cells.levels import HIGHEST, MORE, RoleLevel, allowed, counts
from probe.cli.wiring.catalogue import by_number, families
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.single_cells import run_cells
from probe.errors import InterruptedRunError
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import TrialHarm
from probe.model.harm_bounds import trial_harm
from probe.model.outcomes import PLAYED_AGAIN
from probe.model.profile import OWN_DEFAULTS
from probe.runner import Options
from probe.store import trials

AGREES, RARE, OPEN, OUTSIDE, NOT_PLAYED = "agrees", "rare", "open", "outside", "not played"
"""Answers for a cell. `rare`: a new harm that does not count; `open`: its trials do not decide, so the printed level
becomes a range; `outside`: it counts."""
Harms = Mapping[Cell, Sequence[TrialHarm]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A scored cell with its shipped trials and the level that is printed for its role."""

    cell: Cell
    scored: Scored
    level: RoleLevel
    shipped: Sequence[TrialHarm]

    def is_new(self, harm: TrialHarm) -> bool:
        """Return whether the printed level excludes a harm; nothing is excluded where none is printed."""
        return self.level.low is not None and allowed(self.scored, harm) < self.level.low

    @property
    def leaves_open(self) -> bool:
        """Whether the shipped trials make the printed level a range, or would if it were one."""
        return any(self._open_below(level) for level in range(HIGHEST if self.level.high is None else self.level.high))

    def _open_below(self, level: int) -> bool:
        return counts(sum(allowed(self.scored, one) <= level for one in self.shipped), len(self.shipped)) is None


def main() -> int:
    """Play, compare, print; return the exit code."""
    asked = _options()
    questions = list(_questions(asked.client))
    reruns, more = Path(asked.results, "reruns"), Path(asked.results, "more")
    try:
        if not asked.read:
            _play({one.cell: asked.reruns for one in questions}, reruns, asked.exactly)
        again = played(reruns)
        doubted = [one for one in questions if one.leaves_open or any(map(one.is_new, again.get(one.cell, ())))]
        if not asked.read:
            _play(dict.fromkeys((one.cell for one in doubted), MORE), more, asked.exactly)
    except InterruptedRunError as error:
        say(str(error))
        return error.exit_code
    further = played(more)
    answers = {
        one.cell: answer(one, again.get(one.cell, ()), further.get(one.cell, ()), asked.reruns) for one in questions
    }
    for one in questions:
        if answers[one.cell] != AGREES or one in doubted:
            told = [words(found.get(one.cell, ())) for found in ({one.cell: one.shipped}, again, further)]
            say(f"{answers[one.cell]:10} {one.cell}: shipped {told[0]}; again {told[1]}; further {told[2]}")
    for line in _table(questions, answers, again):
        say(line)
    return 1 if {OPEN, OUTSIDE, NOT_PLAYED} & set(answers.values()) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="folder of the runs")
    parser.add_argument("--reruns", type=int, default=2)
    parser.add_argument("--client", action="append", default=[], help="only these clients; default: all with a level")
    parser.add_argument("--exactly", type=int, metavar="N", help="trials in flight, whatever else the machine does")
    parser.add_argument("--read", action="store_true", help="play nothing")
    return parser.parse_args()


def _questions(only: Sequence[str]) -> Iterable[Question]:
    with open_evidence(["shipped"], "", ANY_AGE) as evidence:
        for family in sorted(families().values(), key=lambda one: one.family):
            by_version = defaultdict[str, dict[Cell, SettledCell]](dict)
            for cell, item in evidence.find(Wanted(family=[family.family])).items():
                by_version[cell.version][cell] = item
            for version in chosen(family, by_version):
                if not only or f"{family.family}@{version}" in only:
                    yield from _of_version(family, version, by_version[version])


def _of_version(family: Family, version: str, stored: Mapping[Cell, SettledCell]) -> Iterable[Question]:
    """Yield the questions of a version that has a level in some role."""
    (client,) = select_clients(families(), [f"{family.family}@{version}"], by_number)
    _, levels = findings_and_levels(client, stored, LINE)
    is_asked = asked_of(family, client.client, LINE)
    for level in (one for one in levels if one.measured and one.role in ROLES):
        for scored in baseline().of(level.role):
            cell = Cell(family.family, version, level.role, OWN_DEFAULTS, scored.scenario, DEFAULT_ENGINE, LINE)
            if cell in stored and is_asked(level.role, scored):
                yield Question(cell=cell, scored=scored, level=level, shipped=harms_of(stored[cell]))


def _play(wanted: Mapping[Cell, int], results: Path, exactly: int | None) -> None:
    """Play the trials that cells lack."""
    held = played(results)
    lacking = {cell: count - len(held.get(cell, ())) for cell, count in wanted.items()}
    if missing := {cell: number for cell, number in lacking.items() if number > 0}:
        run_cells(missing, Options(as_planned=True, exactly=exactly), str(results), missing)


def played(results: Path) -> Harms:
    """Return the harms of stored trials by cell, in their order, without those that say nothing about the client."""
    found = defaultdict[Cell, list[TrialHarm]](list)
    for row in trials(str(results)) if results.exists() else ():
        harm = None if row.verdict.outcome in PLAYED_AGAIN else trial_harm(row.cell, row.verdict)
        if harm is not None:
            found[row.cell].append(harm)
    return found


def answer(one: Question, again: Sequence[TrialHarm], further: Sequence[TrialHarm], reruns: int) -> str:
    """Return the answer for a cell. Further trials decide alone: those that led to them are no fair sample."""
    if len(again) < reruns:
        return NOT_PLAYED
    if not any(map(one.is_new, (*again, *further))):
        return AGREES
    if len(further) < MORE:
        return NOT_PLAYED
    counted = counts(sum(map(one.is_new, further)), len(further))
    return OPEN if counted is None else OUTSIDE if counted else RARE


def words(harms: Sequence[TrialHarm]) -> str:
    """Return harms with their numbers of trials, most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in Counter(one.words for one in harms).most_common()) or "none"


def _table(questions: Sequence[Question], answers: Mapping[Cell, str], again: Harms) -> Iterable[str]:
    """Yield a row per client, and one for all."""
    names = (AGREES, RARE, OPEN, OUTSIDE, NOT_PLAYED)
    yield f"| client | cells | trials | {' | '.join(names)} |"
    yield f"|{'---|' * (len(names) + 3)}"
    rows = {
        str(one.cell.client): [other for other in questions if other.cell.client == one.cell.client]
        for one in questions
    }
    for name, mine in {**rows, "all": list(questions)}.items():
        numbers = Counter(answers[one.cell] for one in mine)
        total = sum(len(again.get(one.cell, ())) for one in mine)
        yield f"| {name} | {len(mine)} | {total} | {' | '.join(str(numbers[each]) for each in names)} |"


if __name__ == "__main__":
    sys.exit(main())
