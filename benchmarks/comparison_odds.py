"""Odds that `advise` calls a build worse than itself, from a model and from what ships (docs/comparisons.md).

    python benchmarks/comparison_odds.py model [--comparisons 3000] [--cells 300] [--seed 1]
    python benchmarks/comparison_odds.py shipped CLIENT... [--comparisons 4000] [--seed 1]

`model`: of CELLS cells some are of chance; the share of their trials that stop is drawn uniformly, or is one half. No
cell is known to be one of chance before. `shipped`: the cells of a version (profile `isolated`, embedded engine, 3.9)
with 12 trials or more that ship, whose trials are drawn with putting back, since a comparison may need more. Nothing is
run, and the same seed gives the same figures.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.comparisons import Trial, rates
from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harms_of
from probe.cells.comparison import CHANCE
from probe.cells.origin import SHIPPED
from probe.cli.console.streams import OUT
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Outcome, Verdict
from probe.model.engines import DEFAULT_ENGINE
from probe.model.harm import Harm, TrialHarm
from probe.model.profile import DEFAULT_PROFILE

SHARES = (0.01, 0.03, 0.05)
"""Shares of cells of chance of a build."""
DRAWN = 2 + 2 * CHANCE
"""Trials of a cell that a comparison may need: the screen, and both sides."""
ANY_AGE = 36_500
GOOD = Trial(Verdict(outcome=Outcome.REFRESHES, reason="", conforms=True), TrialHarm())
BAD = Trial(Verdict(outcome=Outcome.STUCK, reason="", conforms=False), TrialHarm(rank=Harm.STOPS))


def of_chance(rng: random.Random, *, count: int, half: bool) -> list[Sequence[Trial]]:
    """Return the trials of cells of chance, of which a share stops."""
    shares = (0.5 if half else rng.random() for _ in range(count))
    return [[BAD if rng.random() < share else GOOD for _ in range(DRAWN)] for share in shares]


def shipped(client: str) -> list[SettledCell]:
    """Return the cells of a version with trials enough to draw from."""
    family, _, version = client.partition("@")
    wanted = Wanted(
        family=[family], version=[version], profile=[DEFAULT_PROFILE], engine=[str(DEFAULT_ENGINE)], broker=["3.9"]
    )
    with open_evidence([SHIPPED], "", ANY_AGE) as found:
        return [one for one in found.find(wanted, facts=True).values() if len(harms_of(one)) >= CHANCE]


def by_model(comparisons: int, cells: int, seed: int) -> None:
    """Print the rates for each share of cells of chance."""
    for share in SHARES:
        for words, half in (("uniform", False), ("one half", True)):
            count = round(share * cells)
            drawn = rates(partial(of_chance, count=count, half=half), comparisons, seed)
            OUT.print(f"{share:.0%} of {cells} cells of chance, share of trials that stop {words}: {drawn}")


def by_evidence(client: str, comparisons: int, seed: int) -> None:
    """Print how many cells have trials enough, in how many they differ, and the rates."""
    cells = shipped(client)
    mixed = [one for one in cells if len({harm.rank for harm in harms_of(one)}) > 1]
    trials = [[Trial(v, h) for v, h in zip(one.verdicts, harms_of(one), strict=True)] for one in mixed]
    drawn = rates(lambda rng: [rng.choices(one, k=DRAWN) for one in trials], comparisons, seed)
    OUT.print(f"{client}: {len(cells)} cells with {CHANCE} trials or more, harm differs in {len(mixed)}: {drawn}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("model", "shipped"))
    parser.add_argument("clients", nargs="*", metavar="CLIENT")
    parser.add_argument("--comparisons", type=int)
    parser.add_argument("--cells", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    if asked.part == "model":
        by_model(asked.comparisons or 3_000, asked.cells, asked.seed)
    for client in asked.clients:
        by_evidence(client, asked.comparisons or 4_000, asked.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
