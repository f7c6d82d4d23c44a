"""Whether trials of cells whose answer is certain contain a false recovery or a false `stuck`, in every workload.

    python benchmarks/certain_trials.py RESULTS [--trials 1000] [--scenario disk/storage-error] [--jobs N]

The cells are those of known results of the embedded engine that claim one outcome, for the same client with every
workload. Each workload gets an equal part of the trials. A *false stuck* is a trial that is `stuck` where the known
result is another outcome; a *false recovery* one in which the client recovered where it is `stuck`. Both are listed, as
is every other trial that differs or has no verdict. The trials are kept in RESULTS. Exit code 1 if one is listed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.catalogue.files import data_file
from probe.catalogue.known_results import Expectation, Known, contrasted, expected, read_known
from probe.cells.aggregate import JudgedTrial
from probe.cli.wiring.single_cells import run_cells
from probe.model import Cell, Engine, Outcome, Workload
from probe.model.outcomes import PLAYED_AGAIN
from probe.runner import Options
from probe.store import trials

Answers = Mapping[Cell, Outcome]


def certain(known: Iterable[Known], scenario: str) -> dict[Cell, Outcome]:
    """Return the cells of a scenario that have one claimed outcome with every workload, and this outcome."""
    claimed = (item for entry in known for item in (expected(entry), contrasted(entry)))
    found = {item.cell: item.claim.outcome[0] for item in claimed if item.scenario == scenario and _is_certain(item)}
    return {cell: found[cell] for cell in found if all(replace(cell, workload=one) in found for one in Workload)}


def _is_certain(item: Expectation) -> bool:
    claim = item.claim
    return item.engine is Engine.EMBEDDED and len(claim.outcome) == 1 and not (claim.is_race or item.known_wrong)


def shares(cells: Sequence[Cell], total: int) -> dict[Cell, int]:
    """Return the number of trials of each cell: `total` in all, and at least one, spread evenly over the workloads."""
    by_workload = [sorted((cell for cell in cells if cell.workload is one), key=str) for one in Workload]
    in_turn = [cell for group in zip(*by_workload, strict=True) for cell in group]
    each, more = divmod(total, len(in_turn))
    return {cell: max(1, each + (place < more)) for place, cell in enumerate(in_turn)}


@dataclass(frozen=True, slots=True)
class Counts:
    """Outcomes of trials of certain cells."""

    by_cell: Mapping[Cell, Counter[Outcome]]
    unjudged: Sequence[JudgedTrial]
    false_stuck: Sequence[JudgedTrial]
    false_recovery: Sequence[JudgedTrial]
    others: Sequence[JudgedTrial]
    """Differing trials of any other kind."""


def counted(answers: Answers, rows: Iterable[JudgedTrial]) -> Counts:
    """Compare trials with the certain answers of their cells; trials of other cells are left out."""
    mine = [row for row in rows if row.cell in answers]
    by_cell: dict[Cell, Counter[Outcome]] = {cell: Counter() for cell in answers}
    for row in mine:
        by_cell[row.cell][row.verdict.outcome] += 1
    unjudged = [row for row in mine if row.verdict.outcome in PLAYED_AGAIN]
    wrong = [row for row in mine if row.verdict.outcome not in {answers[row.cell], *PLAYED_AGAIN}]
    stuck = [row for row in wrong if row.verdict.outcome is Outcome.STUCK]
    back = [row for row in wrong if answers[row.cell] is Outcome.STUCK and row.verdict.facts.recovered]
    others = [row for row in wrong if row not in stuck and row not in back]
    return Counts(by_cell, unjudged, stuck, back, others)


def report(answers: Answers, found: Counts) -> Iterable[str]:
    """Yield the table of the cells, the sums and every trial that differs."""
    for cell, outcomes in sorted(found.by_cell.items(), key=lambda item: str(item[0])):
        text = ", ".join(f"{count} {name}" for name, count in outcomes.most_common()) or "none"
        yield f"{cell}: certain {answers[cell]}; {text}"
    for workload in Workload:
        total = sum(outcomes.total() for cell, outcomes in found.by_cell.items() if cell.workload is workload)
        yield f"{workload}: {total} trials"
    kinds = {
        "without a verdict": found.unjudged,
        "false stuck": found.false_stuck,
        "false recovery": found.false_recovery,
        "other difference": found.others,
    }
    yield ", ".join(f"{len(rows)} {name}" for name, rows in kinds.items())
    for name, rows in kinds.items():
        for row in rows:
            said = f"{row.verdict.outcome}: {row.verdict.reason}"
            yield f"{name}: {row.cell}, run {row.run_id}, trial {row.trial}: {said}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run, compare, print, and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("results")
    options.add_argument("--trials", type=int, default=1000, help="trials of all cells together")
    options.add_argument("--scenario", default="disk/storage-error")
    options.add_argument(
        "--jobs", type=int, default=None, help="trials at the same time; default: as the machine allows"
    )
    asked = options.parse_args(argv)
    answers = certain(read_known(data_file("known_results.toml")), asked.scenario)
    if not answers:
        raise SystemExit(f"no client has a certain answer to {asked.scenario} with every workload")
    counts = shares(list(answers), asked.trials)
    say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; {sum(counts.values())} trials")
    began = time.monotonic()
    ran = run_cells(counts, Options(jobs=asked.jobs), asked.results, counts)
    say(f"{time.monotonic() - began:.0f} s")
    found = counted(answers, (row for row in trials(asked.results) if row.run_id == ran.run_id))
    for line in report(answers, found):
        say(line)
    lacking = sum(counts.values()) - sum(outcomes.total() for outcomes in found.by_cell.values())
    if lacking > 0:
        say(f"{lacking} trials are missing")
    return 1 if lacking > 0 or any((found.unjudged, found.false_stuck, found.false_recovery, found.others)) else 0


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
