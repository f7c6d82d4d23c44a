"""Rates of two errors of `probe check`: a build called worse than itself, and regressions missed (docs/check.md).

    python benchmarks/false_alarms.py [RESULTS...] [--checks 10000] [--regressions 2000] [--screen N] [--trials N]

Both are simulated with the procedure of the command: a screen, then fresh trials of both sides of what differs, drawn
with putting back from the trials of each cell that the evidence that ships and RESULTS have (embedded engine, 3.9,
profiles `isolated` and `defaults`, the scored scenarios of the baseline). A check draws CELLS of them. The first figure
rests on cells with at least LEAST trials, which everybody of profile `defaults` has; the second one on cells with MANY,
most of which were played that often because their trials had differed. A regression is one cell more, which does no
harm at the release, and stops in a share of the trials of the build. The same seed gives the same figures.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.catalogue.baseline import baseline
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import MORE, Answer, Compared
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.harm import ChanceKey, harms, of_chance
from probe.cells.trends import Step
from probe.cli.console.streams import OUT
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.check_plan import PROFILES, SCREEN
from probe.cli.wiring.decisive_trials import decisive_of
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.fresh_trials import decide_with
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Engine, Outcome, Verdict
from probe.model.harm import Harm
from probe.model.release_lines import DEFAULT_LINE

LEAST, MANY = 5, 20
"""Trials of a cell from which the two figures draw."""
CELLS = 130
"""Cells of a check of the baseline: a library with the five roles, in both profiles."""
SHARES = (0.5, 0.75, 1.0)
"""Shares of trials in which a regression stops."""
PARTS = 20
"""Trials in which that share is expressed."""
AGE_DAYS = 36_500
"""Evidence of any age is compared with itself."""
STUCK = Verdict(outcome=Outcome.STUCK, reason="", conforms=False)


@dataclass(slots=True)
class Drawn:
    """Fresh trials that are drawn from those of the cells (`fresh_trials.FreshTrials` in a check)."""

    rng: random.Random
    pools: Mapping[Cell, Sequence[Verdict]]
    """Trials from which those of a cell are drawn."""
    shown: dict[Cell, list[Verdict]] = field(default_factory=lambda: defaultdict(list))
    count: int = 0

    def possible(self, _cell: Cell) -> bool:
        """Return that every cell can be played."""
        return True

    def play(self, counts: Mapping[Cell, int]) -> dict[Cell, SettledCell]:
        """Return each cell with this number of trials."""
        for cell, count in counts.items():
            more = max(0, count - len(self.shown[cell]))
            self.shown[cell] += self.rng.choices(self.pools[cell], k=more)
            self.count += more
        return {cell: SettledCell(cell=cell, run_id="r", trial=0, verdicts=tuple(self.shown[cell])) for cell in counts}


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of the procedure."""

    screen: int
    """Trials of the build in the screen."""
    trials: int
    """Trials a side that decide a cell of chance."""
    chance: frozenset[ChanceKey]


class Pool(NamedTuple):
    """A cell with the trials from which both sides draw."""

    cell: Cell
    release: Sequence[Verdict]
    build: Sequence[Verdict]

    @classmethod
    def of(cls, one: SettledCell) -> Pool:
        """Return a cell of which both sides are alike."""
        return cls(one.cell, one.verdicts, one.verdicts)


def stored_cells(results: Sequence[str]) -> tuple[list[SettledCell], frozenset[ChanceKey]]:
    """Return the scored cells of the baseline that have `LEAST` trials, and what is known of chance."""
    scored = baseline().only_roles
    wanted = Wanted(engine=[str(Engine.EMBEDDED)], broker=[DEFAULT_LINE], profile=PROFILES, scenario=[*scored])
    best: dict[Cell, SettledCell] = {}
    chance: frozenset[ChanceKey] = frozenset()
    for place in ["", *results]:
        with open_evidence(["own"] if place else ["shipped"], place, AGE_DAYS) as evidence:
            chance |= of_chance(evidence.races_of(families()))
            for one in (item for file in evidence.each(wanted, facts=True) for item in file.values()):
                if len(one.verdicts) > len(best[one.cell].verdicts if one.cell in best else ()):
                    best[one.cell] = one
    fit = (one for cell, one in best.items() if cell.role in scored[cell.scenario] and len(harms(one)) >= LEAST)
    return sorted(fit, key=lambda one: str(one.cell)), chance


def quietly_decided(fresh: Drawn, open_ones: Sequence[Compared], asked: Asked) -> Mapping[Cell, SettledCell]:
    """Return the cells that were drawn for undecided questions, without what is printed of a run."""
    with redirect_stderr(StringIO()):
        return decide_with(fresh, open_ones, asked) if open_ones else {}


def said_worse(rng: random.Random, pools: Sequence[Pool], rules: Rules) -> tuple[list[Cell], int]:
    """Simulate a check; return the cells that are called worse, and the fresh trials that it took."""
    both = {one.cell: replace(one.cell, version=f"{one.cell.version}+local.0") for one in pools}
    drawn = {one.cell: one.release for one in pools} | {both[one.cell]: one.build for one in pools}
    asked = Asked(chance=rules.chance, trials=rules.trials)
    screen = Drawn(rng, drawn).play(dict.fromkeys(both, 1) | dict.fromkeys(both.values(), rules.screen))
    steps = [Step(screen[old], screen[new]) for old, new in both.items()]
    fresh = Drawn(rng, drawn)
    open_ones = [one for one in compared_steps(steps, asked) if one.needs]
    played = quietly_decided(fresh, open_ones, asked)
    found = compared_steps(decisive_of(steps, [played, screen]), asked)
    return [one.step.before.cell for one in found if one.answer is Answer.WORSE], fresh.count


def false_alarms(cells: Sequence[SettledCell], rules: Rules, checks: int, rng: random.Random) -> str:
    """Return the share of checks of builds with themselves that say worse, in words."""
    worse = spent = 0
    for _ in range(checks):
        drawn = rng.sample(cells, min(CELLS, len(cells)))
        called, count = said_worse(rng, [Pool.of(one) for one in drawn if _may_differ(one)], rules)
        worse, spent = worse + bool(called), spent + count
    differ = sum(_may_differ(one) for one in cells)
    size = f"{len(cells)} cells, {differ} of which have trials that differ in harm, {min(CELLS, len(cells))} a check"
    return f"{size}: worse in {100 * worse / checks:.2f} % of {checks} checks; {spent / checks:.0f} fresh trials each"


def regressions(cells: Sequence[SettledCell], rules: Rules, share: float, count: int, rng: random.Random) -> str:
    """Return the share of regressions that are found, in words."""
    harmless = [one for one in cells if max(harms(one)) is Harm.NONE]
    found = 0
    for _ in range(count):
        hit, *others = rng.sample(harmless, 1) + rng.sample(cells, min(CELLS, len(cells)) - 1)
        bad = [STUCK] * round(share * PARTS) + list(hit.verdicts[:1]) * round((1 - share) * PARTS)
        pools = [Pool.of(one) for one in others if _may_differ(one) and one.cell != hit.cell]
        found += hit.cell in said_worse(rng, [Pool(hit.cell, hit.verdicts, bad), *pools], rules)[0]
    return f"stops in {100 * share:.0f} % of the trials: {100 * found / count:.1f} % of {count} found"


def _may_differ(one: SettledCell) -> bool:
    """Return whether draws from the trials of a cell may differ; all others are alike, whatever is drawn."""
    return len(set(harms(one))) > 1


def main() -> int:
    """Print both figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*")
    parser.add_argument("--checks", type=int, default=10_000)
    parser.add_argument("--regressions", type=int, default=2_000)
    parser.add_argument("--screen", type=int, default=SCREEN, help="trials of the build in the screen")
    parser.add_argument("--trials", type=int, default=MORE, help="trials a side that decide a cell of chance")
    parser.add_argument("--seed", type=int, default=60)
    asked = parser.parse_args()
    cells, chance = stored_cells(asked.results)
    rules = Rules(asked.screen, asked.trials, chance)
    OUT.print(f"{asked.screen} trials of the build in the screen, {asked.trials} a side where chance has a part")
    for least in (LEAST, MANY):
        rng = random.Random(f"{asked.seed} {least}")  # noqa: S311  # a simulation, repeatable by its seed
        some = [one for one in cells if len(harms(one)) >= least]
        OUT.print(f"{least} trials or more: {false_alarms(some, rules, asked.checks, rng)}")
    for share in SHARES:
        rng = random.Random(f"{asked.seed} {share}")  # noqa: S311  # as above
        OUT.print(regressions(cells, rules, share, asked.regressions, rng))
    return 0


if __name__ == "__main__":
    sys.exit(main())
