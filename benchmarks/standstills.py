"""Cells of profile `defaults`, drawn by a seed from the evidence that ships and played again beside it.

    python benchmarks/standstills.py RESULTS [--cells 40] [--seed 56] [--trials 2] [--read] [--full-pace]
        [--least SECONDS] [--longest SECONDS] [--exactly N]

Drawn are cells of the embedded engine in which work stood still (fact `ended_by`). A fresh trial agrees if the same
thing ended the standstill as in one of the shipped trials, and it recovered within a quarter or a second of their
median, whichever is more. Where the shipped trials themselves do not agree with each other, chance is known to decide,
and the cell is counted apart. It goes on where it was interrupted; `--read` plays nothing and compares what RESULTS
holds. With `--full-pace` clients that stand still work as often as around the fault to the end of the watch, and are
answered at once, unlike the shipped trials (docs/verdicts.md, "To the end"). Exit code 1 if a cell differs of which
that is not known, or lacks trials.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.cells.aggregate import SettledCell
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.single_cells import run_cells
from probe.errors import InterruptedRunError
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Verdict
from probe.model.engines import DEFAULT_ENGINE
from probe.model.outcomes import PLAYED_AGAIN
from probe.model.profile import OWN_DEFAULTS
from probe.runner import Options
from probe.store import trials

ANY_AGE = 36_500
SHARE, LEAST_MS = 0.25, 1000.0
"""Recoveries agree within this share of the shipped one, or this many milliseconds, whichever is more."""
SAME, CHANCE, DIFFERS, NOT_PLAYED = "same", "chance", "differs", "not played"
"""Answers for a cell; `chance`: fresh trials differ, and the shipped ones do not agree with each other either."""
Trials = Mapping[Cell, Sequence[Verdict]]


def main() -> int:
    """Draw, play, compare; return the exit code."""
    asked = _options()
    shipped = stood_still(_shipped())
    fits = (cell for cell, found in shipped.items() if asked.least <= lasted_s(found) <= asked.longest)
    among = sorted(fits, key=str)
    drawn = random.Random(asked.seed).sample(among, min(asked.cells, len(among)))  # noqa: S311
    say(f"{len(drawn)} of {len(among)} cells drawn by seed {asked.seed}, of {len(shipped)}")
    if not asked.read:
        try:
            _play(drawn, asked)
        except InterruptedRunError as error:
            say(str(error))
            return error.exit_code
    fresh = played(asked.results)
    answers = {cell: compared(shipped[cell], fresh.get(cell, ()), asked.trials) for cell in drawn}
    for cell, answer in sorted(answers.items(), key=lambda item: (item[1], str(item[0]))):
        say(f"{answer:10} {cell}: {told(shipped[cell])} shipped; {told(fresh.get(cell, ()))} fresh")
    counts = {answer: list(answers.values()).count(answer) for answer in sorted(set(answers.values()))}
    say(", ".join(f"{count} {answer}" for answer, count in counts.items()))
    return 1 if {DIFFERS, NOT_PLAYED} & set(counts) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="folder of the runs")
    parser.add_argument("--cells", type=int, default=40)
    parser.add_argument("--seed", type=int, default=56)
    parser.add_argument("--trials", type=int, default=2, help="fresh trials of a cell")
    parser.add_argument("--least", type=float, default=0.0, help="seconds for which a drawn cell stood still at least")
    parser.add_argument("--longest", type=float, default=900.0, help="the same at most")
    parser.add_argument("--exactly", type=int, help="trials in flight; default: as many as the machine allows")
    parser.add_argument("--full-pace", action="store_true", help="standstills are watched without long intervals")
    parser.add_argument("--read", action="store_true", help="play nothing")
    return parser.parse_args()


def _play(drawn: Sequence[Cell], asked: argparse.Namespace) -> None:
    """Play the trials that cells lack."""
    held = played(asked.results)
    lacking = {cell: asked.trials - len(held.get(cell, ())) for cell in drawn}
    if missing := {cell: number for cell, number in lacking.items() if number > 0}:
        run_cells(missing, Options(exactly=asked.exactly), asked.results, missing, at_full_pace=asked.full_pace)


def _shipped() -> Iterator[SettledCell]:
    with open_evidence(["shipped"], "", ANY_AGE) as evidence:
        for family in families():
            yield from evidence.find(Wanted(family=[family]), facts=True).values()


def stood_still(cells: Iterable[SettledCell]) -> Trials:
    """Return the trials of those cells of `defaults` on the embedded engine in which something ended a standstill."""
    found: dict[Cell, Sequence[Verdict]] = {}
    for item in cells:
        fits = item.cell.profile == OWN_DEFAULTS and item.cell.engine is DEFAULT_ENGINE
        if fits and any(one.facts.ended_by for one in item.verdicts):
            found[item.cell] = item.verdicts
    return found


def played(results: str) -> Trials:
    """Return the verdicts of stored trials by cell, without those that are played again."""
    found = defaultdict[Cell, list[Verdict]](list)
    for row in trials(results):
        if row.verdict.outcome not in PLAYED_AGAIN:
            found[row.cell].append(row.verdict)
    return found


def compared(shipped: Sequence[Verdict], fresh: Sequence[Verdict], count: int) -> str:
    """Return the answer for a cell of which `count` trials were asked for."""
    if len(fresh) < count:
        return NOT_PLAYED
    if all(agrees(shipped, one) for one in fresh):
        return SAME
    several = len({one.facts.ended_by for one in shipped}) > 1
    return CHANCE if several or not all(agrees(shipped, one) for one in shipped) else DIFFERS


def agrees(shipped: Sequence[Verdict], one: Verdict) -> bool:
    """Return whether a trial's standstill was ended by the same as in a shipped one, and as soon as their median."""
    if one.facts.ended_by not in {verdict.facts.ended_by for verdict in shipped}:
        return False
    middle = median(_stood_ms(verdict) for verdict in shipped)
    return abs(_stood_ms(one) - middle) <= max(LEAST_MS, SHARE * middle)


def _stood_ms(one: Verdict) -> float:
    """Return the time to recovery, or that of the standstill where there is none; 0 = work did not stand still."""
    return one.facts.recovery_ms or one.facts.still_ms or 0.0


def lasted_s(found: Sequence[Verdict]) -> float:
    """Return the longest standstill of some trials, in seconds."""
    return max((_stood_ms(one) for one in found), default=0.0) / 1000


def told(found: Sequence[Verdict]) -> str:
    """Return the ends of standstills with their seconds, in the order of trials."""
    parts = [f"{one.facts.ended_by or one.outcome} {_stood_ms(one) / 1000:.1f}" for one in found]
    return ", ".join(parts) or "none"


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
