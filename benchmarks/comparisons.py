"""Rates of two errors of `advise`: a build called worse than itself, known differences missed (docs/comparisons.md).

    python benchmarks/comparisons.py play RESULTS [--builds 12] [--cells 300] [--seconds 360] [--seed 1] [--exactly N]
    python benchmarks/comparisons.py simulate RESULTS [--comparisons 10000] [--cells 300] [--seed 1]
    python benchmarks/comparisons.py pairs RESULTS [--pairs 30] [--seconds 360] [--seed 1]

`play` gives each cell 12 trials, and 40 where these differ in harm. It stops after SECONDS and goes on later, also
with more CELLS. The builds are the newest core version of each library, then others; cells are drawn by the seed from
what ships, and played in turn: the first of each build, then the second. `simulate` compares each build with itself:
for every cell a screen of one trial a side, then the fresh trials that the procedure asks for, all drawn from the
played ones without putting back. No cell is known to be one of chance before. A second figure draws the cells of a
comparison from all builds, so that a comparison has CELLS of them.
`pairs` plays known results with their contrasts, as `advise --run` does, and counts those that are called worse or
better as they are known to be.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.known_pairs import Pair as Known
from benchmarks.known_pairs import known_versions
from benchmarks.known_pairs import pairs as differing
from probe.cells.aggregate import SettledCell, settle
from probe.cells.comparison import CHANCE, PLAIN, Answer, Compared, Pair, compare
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.harm import asked_as, harms
from probe.cells.trends import Step
from probe.cli.console.streams import OUT
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.fresh_trials import decide
from probe.cli.wiring.single_cells import possible, run_cells
from probe.evidence.cell_choice import Wanted
from probe.model import CONTROL, Cell, Client, Engine, Outcome, Verdict
from probe.model.harm import Harm, TrialHarm
from probe.model.harm_bounds import trial_harm
from probe.model.profile import DEFAULT_PROFILE
from probe.model.results import ResultsError
from probe.runner import Options
from probe.store import trials

MANY = 40
"""Trials of a cell whose trials differ."""
LEAST_CELLS = 100
"""Cells that ship of a build, below which it takes no part."""
AT_ONCE = 96
"""Cells of one run."""
SILENCE_S = 130.0
"""No run begins with less than this time left: the longest observations take about that."""


class Trial(NamedTuple):
    """A trial that says something about the client."""

    verdict: Verdict
    harm: TrialHarm

    @property
    def asked(self) -> Harm:
        """Its harm as comparisons ask for it."""
        return asked_as(self.harm.rank)


Played = Mapping[Cell, Sequence[Trial]]


def builds(count: int) -> list[Client]:
    """Return the newest core version of each library, then the others of the core, newest first."""
    libraries = [item for item in families().values() if not item.judged_by]
    lists = [[one.newest.version, *(name for name in reversed(one.core) if name != "latest")] for one in libraries]
    deepest = max(map(len, lists))
    by_rank = [
        Client(one.family, versions[rank])
        for rank in range(deepest)
        for one, versions in zip(libraries, lists, strict=True)
        if rank < len(versions) and versions[rank] not in versions[:rank]
    ]
    fit = (client for client in by_rank if len(shipped_cells(client)) >= LEAST_CELLS)
    return list(islice(fit, count))


@cache
def shipped_cells(client: Client) -> list[Cell]:
    """Return the cells of a build that ship: embedded, 3.9, isolated, with a judgement about the client."""
    wanted = Wanted(family=[client.family], version=[client.version], profile=[DEFAULT_PROFILE], broker=["3.9"])
    with open_evidence(["shipped"], "", 10_000) as evidence:
        found = evidence.find(wanted)
    fit = (cell for cell, item in found.items() if cell.engine is Engine.EMBEDDED and harms(item))
    return sorted((cell for cell in fit if cell.scenario != CONTROL), key=str)


def chosen_cells(client: Client, count: int, seed: int) -> list[Cell]:
    """Draw cells of a build; more of them begin with the same ones."""
    cells = shipped_cells(client)
    return random.Random(f"{seed} {client}").sample(cells, len(cells))[:count]  # noqa: S311  # a draw of cells


def in_turn(lists: Sequence[Sequence[Cell]]) -> list[Cell]:
    """Return the first cell of each build, then the second, and so on, so that builds have as many after each run."""
    return [cell for row in zip_longest(*lists) for cell in row if cell is not None]


def played(results: str) -> dict[Cell, list[Trial]]:
    """Return the trials with a harm of each cell in all runs of a folder."""
    found: dict[Cell, list[Trial]] = defaultdict(list)
    try:
        for row in trials(results):
            harm = trial_harm(row.cell, row.verdict)
            if harm is not None and row.verdict.conforms is not None:
                found[row.cell].append(Trial(row.verdict, harm))
    except ResultsError:
        return {}
    return found


def wanted_trials(known: Sequence[Trial]) -> int:
    """Return how many trials a cell shall have in all."""
    return MANY if len({one.asked for one in known}) > 1 else CHANCE


def play(results: str, cells: Sequence[Cell], seconds: float, exactly: int | None) -> None:
    """Play what is missing, as many runs as begin in time."""
    until = time.monotonic() + seconds
    given_up: set[Cell] = set()
    while time.monotonic() + SILENCE_S < until:
        known = played(results)
        missing = {
            cell: more
            for cell in cells
            if cell not in given_up and (more := wanted_trials(known.get(cell, ())) - len(known.get(cell, ()))) > 0
        }
        if not missing:
            break
        now = dict(list(missing.items())[:AT_ONCE])
        given_up.update(cell for cell in now if not possible(cell))
        options = Options(as_planned=True, stop_at=until, exactly=exactly)
        run_cells([cell for cell in now if cell not in given_up], options, results, now)
        again = played(results)
        given_up.update(cell for cell in now if len(again.get(cell, ())) == len(known.get(cell, ())))
    known = played(results)
    done = [cell for cell in cells if len(known.get(cell, ())) >= wanted_trials(known.get(cell, ()))]
    OUT.print(
        f"{len(done)} of {len(cells)} cells have their trials, {sum(len(known.get(one, ())) for one in cells)} trials"
    )


def simulated(cells: Sequence[Sequence[Trial]], rng: random.Random) -> tuple[list[Compared], int]:
    """Compare builds with themselves; return what is said of each candidate, and the fresh trials that it took."""
    pairs, cost = [], 0
    for verdicts in cells:
        drawn = rng.sample(verdicts, min(len(verdicts), 2 + 2 * CHANCE))
        screen, fresh = drawn[:2], drawn[2:]
        (first,) = compare([Pair(_step(screen[:1], screen[1:]))])
        if first.answer is not Answer.UNDECIDED:
            continue
        sides = fresh[::2], fresh[1::2]
        trials_a_side = next((n for n in range(1, PLAIN + 1) if not _as(first, sides, n)), 0)
        count = min(CHANCE, len(sides[1])) if trials_a_side else PLAIN
        pairs.append(Pair(_step(sides[0][:count], sides[1][:count]), chance=bool(trials_a_side)))
        cost += 2 * count
    return compare(pairs), cost


def _as(screen: Compared, sides: Sequence[Sequence[Trial]], count: int) -> bool:
    (found,) = compare([Pair(_step(sides[0][:count], sides[1][:count]))])
    return (found.harm, found.towards) == (screen.harm, screen.towards) and found.needs != CHANCE


CELL = Cell.of(
    {
        "family": "sarama",
        "version": "0",
        "role": "producer",
        "profile": DEFAULT_PROFILE,
        "scenario": "net/reset",
        "engine": "embedded",
        "broker": "3.9",
        "workload": "continuous",
    }
)


def _step(before: Sequence[Trial], after: Sequence[Trial]) -> Step:
    return Step(_side(before), _side(after))


def _side(some: Sequence[Trial]) -> SettledCell:
    verdicts, told = tuple(one.verdict for one in some), tuple(one.harm for one in some)
    return SettledCell(cell=CELL, run_id="r", trial=0, verdicts=verdicts, told=told)


def simulate(known: Played, comparisons: int, size: int, seed: int) -> None:
    """Print how often a build is called worse than itself: each with its cells, and with cells of all."""
    full = {cell: one for cell, one in known.items() if len(one) >= wanted_trials(one)}
    by_build: dict[Client, list[Sequence[Trial]]] = defaultdict(list)
    for cell, verdicts in full.items():
        by_build[cell.client].append(verdicts)
    differ = sum(wanted_trials(one) == MANY for one in full.values())
    OUT.print(
        f"{len(by_build)} builds, {len(full)} cells, {sum(map(len, full.values()))} trials; trials differ in {differ}"
    )
    for client, cells in sorted(by_build.items()):
        OUT.print(f"{client}: {len(cells)} cells, {rates(lambda _, mine=cells: mine, comparisons, seed)}")
    every = list(full.values())
    drawn = rates(lambda rng: [rng.choice(every) for _ in range(size)], comparisons, seed)
    OUT.print(f"{size} cells drawn from all: {drawn}")


def rates(cells_of: Callable[[random.Random], Sequence[Sequence[Trial]]], comparisons: int, seed: int) -> str:
    """Return how often a build is called worse, and better, than itself; `cells_of` draws the cells of a comparison."""
    rng = random.Random(seed)  # noqa: S311  # simulated draws
    said: Counter[Answer] = Counter()
    spent = 0
    for _ in range(comparisons):
        cells = cells_of(rng)
        # cells whose trials agree cannot differ, whatever is drawn
        found, cost = simulated([one for one in cells if len({item.asked for item in one}) > 1], rng)
        spent += cost
        said.update({one.answer for one in found})
    shares = ", ".join(f"{name} in {100 * said[name] / comparisons:.2f} %" for name in (Answer.WORSE, Answer.BETTER))
    return f"{shares} of {comparisons} comparisons; {spent / comparisons:.0f} fresh trials each"


def known_pairs(count: int, seed: int) -> list[Known]:
    """Draw known results whose harm differs by the evidence that ships, and in which chance has no part.

    All in which chance has no part are shuffled before the others are left out.
    """
    plain = [(one.cell, other.cell, name) for one, other, name in known_versions() if not one.claim.is_race]
    fit = {one.name: one for one in differing()[0] if one.is_stored}
    shuffled = random.Random(seed).sample(sorted(plain, key=str), len(plain))  # noqa: S311  # a draw of pairs
    return [fit[name] for _, _, name in shuffled if name in fit][:count]


def pairs(results: str, count: int, seconds: float, seed: int, exactly: int | None) -> None:
    """Play pairs with a known difference as `advise --run` does, and print what is said of each.

    Known is the direction, too: from the worse to the better release it is `better`.
    """
    until = time.monotonic() + seconds
    drawn = known_pairs(count, seed)
    stored = _stored(drawn)
    asked = Asked.of(stored.values())
    for start in range(0, len(drawn), AT_ONCE // 8):
        rows = drawn[start : start + AT_ONCE // 8]
        missing = [one for one in rows if not _decided(one, asked, results)]
        if missing and time.monotonic() + SILENCE_S < until:
            decide(_screens(missing, stored, asked), asked, results, None, exactly=exactly)
    said = [(one, _decided(one, asked, results)) for one in drawn]
    for one, found in said:
        sides = f"{one.worse} -> {one.better.version}"
        votes = f"; {found.step.before.outcomes} -> {found.step.after.outcomes}" if found else ""
        OUT.print(f"{found.said if found else 'not played':<10} {one.name}: {sides}{votes}", markup=False)
    right = sum(found is not None and found.answer is Answer.BETTER for _, found in said)
    OUT.print(f"{right} of {len(said)} known differences found")


def _stored(drawn: Sequence[Known]) -> dict[Cell, SettledCell]:
    """Return what ships of the pairs' versions in their scenarios and roles."""
    found: dict[Cell, SettledCell] = {}
    with open_evidence(["shipped"], "", 10_000) as evidence:
        for one in drawn:
            cell, versions = one.worse, [one.worse.version, one.better.version]
            found |= evidence.find(
                Wanted(family=[cell.family], version=versions, scenario=[cell.scenario], role=[cell.role])
            )
    return found


def _screens(rows: Sequence[Known], stored: Mapping[Cell, SettledCell], asked: Asked) -> list[Compared]:
    """Return the screens of stored trials; where these decide already they are a screen only, too."""
    found = compared_steps([Step(stored[one.worse], stored[one.better]) for one in rows], asked)
    return [one if one.needs else replace(one, answer=Answer.UNDECIDED, needs=PLAIN) for one in found]


def _decided(row: Known, asked: Asked, results: str) -> Compared | None:
    """Return what the trials of a folder say of a pair; None if there are too few."""
    cells = {row.worse, row.better}
    try:
        rows = [one for one in trials(results) if one.cell in cells and one.verdict.outcome is not Outcome.NOT_RUN]
    except ResultsError:
        return None
    found = settle(rows)
    if found.keys() < cells:
        return None
    (one,) = compared_steps([Step(found[row.worse], found[row.better])], asked)
    return one if not one.needs else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the three parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("play", "simulate", "pairs"))
    parser.add_argument("results")
    for name, default in (("builds", 12), ("cells", 300), ("comparisons", 10_000), ("pairs", 30), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=360.0)
    parser.add_argument("--exactly", type=int, metavar="N", help="trials in flight, on a shared machine")
    asked = parser.parse_args(arguments)
    if asked.part == "play":
        cells = in_turn([chosen_cells(one, asked.cells, asked.seed) for one in builds(asked.builds)])
        play(asked.results, cells, asked.seconds, asked.exactly)
    elif asked.part == "simulate":
        simulate(played(asked.results), asked.comparisons, asked.cells, asked.seed)
    else:
        pairs(asked.results, asked.pairs, asked.seconds, asked.seed, asked.exactly)
    return 0


if __name__ == "__main__":
    sys.exit(main())
