"""Compare the outcomes of cells between a run as large as the machine allows and one with few trials at a time.

    python benchmarks/outcomes.py [--cells 500] [--seed 1] [--jobs 8] [--again 5]
    python benchmarks/outcomes.py --cell "sarama@1.61.1 transactional net/blackhole" --again 20

Draws cells of the core clients by the seed, runs each once by default and once with `--jobs`, and runs a cell whose
outcomes differ five times each way. Ends with a table of these cells, and with exit code 1 if the most frequent
outcomes of one differ. The estimate of each run is printed when it begins; on two cores about 4 minutes by default and
20 with `--jobs 8` for 500 cells, and 1 to 5 minutes for some dozens of cells that differ. With `--cell` no cell is
drawn: the named ones are run each way as if they had differed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.outcome_counts import most_frequent, say, words
from probe.cli.wiring.execution import run_planned
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, Outcome
from probe.planning.plan import Plan
from probe.planning.selection import LongWatches, Selection
from probe.runner import Options
from probe.store import trials

Outcomes = dict[Cell, Counter[Outcome]]


def main() -> int:
    """Draw, run each way, compare; return the exit code."""
    arguments = _arguments()
    asked = RunSelection(seed=arguments.seed, long_watches=LongWatches.CORE)
    plan, selection = asked.whole()
    ways = {"default": Options(), f"--jobs {arguments.jobs}": Options(jobs=arguments.jobs)}
    say(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    if arguments.cell:
        named = _named(plan, arguments.cell)
        again = _each_way(plan, named, selection, ways, arguments.again)
        return _report(named, dict.fromkeys(ways, Outcomes()), again)
    drawn = _draw(plan, arguments.cells, arguments.seed)
    say(f"{len(drawn)} cells drawn by seed {arguments.seed}")
    once = {name: _run(_part(plan, drawn, 1), selection, options, name) for name, options in ways.items()}
    first, second = once.values()
    differ = sorted((cell for cell in drawn if first.get(cell) != second.get(cell)), key=str)
    say(f"{len(drawn) - len(differ)} of {len(drawn)} cells have the same outcome, {len(differ)} differ")
    if not differ:
        return 0
    return _report(differ, once, _each_way(plan, differ, selection, ways, arguments.again))


def _each_way(
    plan: Plan, cells: Collection[Cell], selection: Selection, ways: dict[str, Options], count: int
) -> dict[str, Outcomes]:
    part = _part(plan, cells, count)
    return {name: _run(part, selection, options, name) for name, options in ways.items()}


def _named(plan: Plan, names: Collection[str]) -> list[Cell]:
    """Return the cells that are named by client, role and scenario."""
    by_name = {f"{item.cell.client} {item.cell.role} {item.cell.scenario}": item.cell for item in plan.cells}
    if unknown := [name for name in names if name not in by_name]:
        sys.exit(f"no cell {unknown[0]!r} of the core clients: name client, role and scenario")
    return [by_name[name] for name in names]


def _draw(plan: Plan, count: int, seed: int) -> list[Cell]:
    cells = sorted((item.cell for item in plan.cells if not item.is_control), key=str)
    return random.Random(seed).sample(cells, min(count, len(cells)))  # noqa: S311  # a sample, not a secret


def _part(plan: Plan, cells: Collection[Cell], count: int) -> Plan:
    """Return the plan of these cells, each this often, with their control cells."""
    wanted = set(cells)
    controls = {item.steady for item in plan.cells if item.cell in wanted}
    items = [item for item in plan.cells if item.cell in wanted or item.cell in controls]
    repeated = (replace(item, trials=count) if item.cell in wanted else item for item in items)
    return Plan(tuple(repeated), (), plan.exact)


def _run(plan: Plan, selection: Selection, options: Options, name: str) -> Outcomes:
    clients = {item.cell.client for item in plan.cells}
    chosen = replace(selection, clients=tuple(one for one in selection.clients if one.client in clients))
    began, found = time.monotonic(), dict[Cell, Counter[Outcome]]()
    with tempfile.TemporaryDirectory() as folder:
        run_planned(plan, chosen, options, folder)
        failed = 0
        for row in trials(folder):
            found.setdefault(row.cell, Counter())[row.verdict.outcome] += 1
            failed += row.verdict.outcome is Outcome.BROKEN
    seconds = time.monotonic() - began
    say(f"{name}: {sum(map(Counter.total, found.values()))} trials in {seconds:.0f} s, {failed} broken")
    return found


def _report(cells: Collection[Cell], once: dict[str, Outcomes], again: dict[str, Outcomes]) -> int:
    say(f"{'cell':70} " + " ".join(f"{name + ', once':22} {name + ', again':40}" for name in once) + " most frequent")
    differ = 0
    for cell in cells:
        texts, most = [], list[set[Outcome]]()
        for name, found in once.items():
            texts.append(f"{words(found.get(cell)):22} {words(again[name].get(cell)):40}")
            most.append(most_frequent(again[name].get(cell)))
        same = bool(most[0] & most[1])  # of equally frequent ones, one in common is enough
        differ += not same
        say(f"{cell!s:70} {' '.join(texts)} {'same' if same else 'DIFFERENT'}")
    say(f"{len(cells)} cells again: {len(cells) - differ} have the same most frequent outcome, {differ} differ")
    return 1 if differ else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=500, help="cells to draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=8, help="trials at the same time in the other run")
    parser.add_argument("--cell", action="append", help="client, role and scenario of a cell to run again (repeatable)")
    parser.add_argument("--again", type=int, default=5, help="trials of a cell that differs, each way")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
