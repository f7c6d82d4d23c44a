"""Cells of older evidence, drawn by a seed, beside trials of the same cells under today's conditions.

    python benchmarks/older_conditions.py RESULTS [--cells 1000] [--seed 54] [--commit 193b1d85] [--read]
    python benchmarks/older_conditions.py RESULTS --again 5 --checkout DIR [--most 40] [--read]

Drawn are cells of the embedded engine that a commit's evidence has under conditions which are not comparable with
today's. A cell whose line in today's evidence was measured under today's conditions has its trials; the others are
played once, into RESULTS/once. With `--again` cells with another outcome are played that often under today's
conditions (RESULTS/again) and by a checkout of the commit with its own .venv (RESULTS/older), at most `--most` of them,
drawn by the seed. It goes on where it was interrupted; `--read` plays nothing. Exit code 1 if a cell lacks trials, or
if the most frequent outcomes of one played again have none in common.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.outcome_counts import most_frequent, say, words
from probe.cells.aggregate import SettledCell
from probe.evidence.access import opened
from probe.evidence.text_files import read_folder
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Outcome
from probe.model.conditions import is_current
from probe.model.engines import DEFAULT_ENGINE
from probe.model.outcomes import PLAYED_AGAIN
from probe.store import trials

ROOT = TEXT.parent
FILE = "probe/evidence/data/evidence.sqlite"
"""The place of evidence before it was text."""
COMMIT = "193b1d85"
"""The last commit before conditions 6 of the embedded engine."""
PART = 300
"""Cells of one run: what an interruption loses at most."""
SAME, OTHER, NOT_PLAYED = "same", "other", "not played"
"""Answers for a cell. `same`: an outcome occurred on both sides."""
Outcomes = Mapping[Cell, Counter[Outcome]]

_PROGRAM = """
import json, sys
from probe.cli.wiring.single_cells import possible, run_cells
from probe.model import Cell
from probe.runner import Options
counts = {Cell.of(columns): count for columns, count in json.load(sys.stdin)}
counts = {cell: count for cell, count in counts.items() if possible(cell)}
run_cells(counts, Options(exactly=int(sys.argv[2]) or None), sys.argv[1], counts)
"""
"""Runs cells by the program of the checkout in whose folder it is started."""


def main() -> int:
    """Draw, play, compare; return the exit code."""
    asked = _options()
    older = {cell: item for cell, item in evidence_of(asked.commit).items() if is_concerned(item)}
    drawn = sample(older, asked.cells, asked.seed)
    say(f"{len(drawn)} of {len(older)} cells drawn by seed {asked.seed} from the evidence of {asked.commit}")
    measured = {cell: told(item) for cell, item in read_folder(TEXT).cells.items() if is_today(item)}
    say(f"{sum(cell in measured for cell in drawn)} of them are measured under today's conditions in the evidence")
    once = Path(asked.results, "once")
    if not asked.read and not asked.again:
        run_lacking(ROOT, [cell for cell in drawn if cell not in measured], 1, once, asked.exactly)
    after = {**measured, **played(once)}
    answers = {cell: compared(told(older[cell]), after.get(cell)) for cell in drawn}
    for cell in (cell for cell in drawn if answers[cell] == OTHER):
        say(f"{cell!s:90} {words(told(older[cell])):30} now {words(after[cell])}")
    say(", ".join(f"{count} {answer}" for answer, count in sorted(Counter(answers.values()).items())))
    others = [cell for cell in drawn if answers[cell] == OTHER]
    return _each_way(asked, others) if asked.again else int(NOT_PLAYED in answers.values())


def _each_way(asked: argparse.Namespace, others: Sequence[Cell]) -> int:
    """Play cells with another outcome on both sides, print what came, and return the exit code."""
    chosen = sample(others, asked.most, asked.seed)
    sides = {"again": ROOT, "older": Path(asked.checkout)}
    if not asked.read:
        for name, root in sides.items():
            run_lacking(root.resolve(), chosen, asked.again, Path(asked.results, name), asked.exactly)
    today, before = (played(Path(asked.results, name)) for name in sides)
    left = 0
    for cell in chosen:
        found = before.get(cell, Counter()), today.get(cell, Counter())
        lacks = min(map(Counter.total, found)) < asked.again
        shared = not lacks and bool(most_frequent(found[0]) & most_frequent(found[1]))
        left += not shared
        answer = NOT_PLAYED if lacks else SAME if shared else OTHER
        say(f"{answer:10} {cell!s:90} {words(found[0]):40} now {words(found[1])}")
    say(f"{len(chosen)} of {len(others)} played again: {len(chosen) - left} share their most frequent outcome")
    return int(left > 0)


def evidence_of(commit: str) -> Mapping[Cell, SettledCell]:
    """Return the cells of a commit's evidence: text, or one file before that.

    subprocess.CalledProcessError without such a commit, EvidenceError if it cannot be read.
    """
    place = next(place for place in (TEXT.name, FILE) if _git("ls-tree", "--name-only", commit, place))
    with tempfile.TemporaryDirectory() as folder:
        with ZipFile(BytesIO(_git("archive", "--format=zip", commit, place))) as archive:
            archive.extractall(folder)
        if place == TEXT.name:
            return read_folder(Path(folder, place)).cells
        with opened(Path(folder, place), commit) as file:
            return file.cells()


def _git(*argv: str) -> bytes:
    command = ["git", "-C", str(ROOT), *argv]
    return subprocess.run(command, check=True, capture_output=True).stdout


def is_concerned(item: SettledCell) -> bool:
    """Return whether today's conditions make another measurement of a cell of the embedded engine."""
    return item.cell.engine is DEFAULT_ENGINE and item.judged and not is_today(item)


def is_today(item: SettledCell) -> bool:
    """Return whether a cell was measured under conditions that are comparable with today's."""
    return is_current(item.cell, item.conditions)


def sample(cells: Iterable[Cell], count: int, seed: int) -> list[Cell]:
    """Return this many of the cells, drawn by a seed, or all of fewer."""
    ordered = sorted(cells, key=str)
    return random.Random(seed).sample(ordered, min(count, len(ordered)))  # noqa: S311  # a sample, not a secret


def run_lacking(root: Path, cells: Iterable[Cell], count: int, results: Path, exactly: int) -> None:
    """Play the trials that cells lack, by the program of a checkout."""
    held = played(results)
    lacking = {cell: count - held.get(cell, Counter()).total() for cell in cells}
    results.mkdir(parents=True, exist_ok=True)
    wanted = sorted((cell for cell in lacking if lacking[cell] > 0), key=str)
    for start in range(0, len(wanted), PART):
        part = wanted[start : start + PART]
        asked = json.dumps([(cell.columns(), lacking[cell]) for cell in part])
        argv = [str(root / ".venv/bin/python"), "-c", _PROGRAM, str(results.resolve()), str(exactly)]
        environment = os.environ | {"PYTHONPATH": str(root)}
        subprocess.run(argv, input=asked, text=True, cwd=root, env=environment, check=False)


def played(results: Path) -> dict[Cell, Counter[Outcome]]:
    """Return the outcomes of stored trials by cell, without those that are played again."""
    found: dict[Cell, Counter[Outcome]] = {}
    for row in trials(str(results)) if results.exists() else ():
        if row.verdict.outcome not in PLAYED_AGAIN:
            found.setdefault(row.cell, Counter())[row.verdict.outcome] += 1
    return found


def told(item: SettledCell) -> Counter[Outcome]:
    """Return the outcomes of a cell's trials."""
    return Counter(verdict.outcome for verdict in item.verdicts)


def compared(before: Collection[Outcome], after: Collection[Outcome] | None) -> str:
    """Return the answer for a cell."""
    if not after:
        return NOT_PLAYED
    return SAME if set(before) & set(after) else OTHER


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="folder of the runs")
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=54)
    parser.add_argument("--commit", default=COMMIT, help="whose evidence is compared")
    parser.add_argument("--read", action="store_true", help="play nothing")
    parser.add_argument("--again", type=int, default=0, metavar="N", help="trials of a cell that differs, each way")
    parser.add_argument("--checkout", default="", metavar="DIR", help="with --again: a checkout of the commit")
    parser.add_argument("--most", type=int, default=40, help="cells that are played again at most")
    parser.add_argument("--exactly", type=int, default=0, metavar="N", help="trials in flight; 0: as many as fit")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
