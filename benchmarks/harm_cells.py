"""Trials of one outcome that differ in harm, drawn by a seed from the evidence that ships, to be read.

`python benchmarks/harm_cells.py [--cells 30] [--seed 57]` prints how many trials of each outcome have which harm, and
the drawn cells in turn from every such pair, with the facts that decide. What is common in them is in docs/harm.md.
No measurement: the same on every machine.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain, zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from probe.cells.aggregate import SettledCell
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Outcome, Verdict
from probe.model.harm import FACTS_OF_HARM, Harm
from probe.model.harm_bounds import bounds_in
from probe.model.harm_rules import harm_of

ANY_AGE = 36_500
Pair = tuple[Outcome, Harm]
"""An outcome, and the harm of a trial with it."""
Found = dict[Pair, list[tuple[SettledCell, Verdict]]]


def main() -> None:
    """Print the numbers, and the cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=30)
    parser.add_argument("--seed", type=int, default=57)
    args = parser.parse_args()
    found = pairs()
    harms = Counter(outcome for outcome, _ in found)
    for outcome, harm in sorted(found, key=lambda pair: (pair[0], -pair[1])):
        sys.stdout.write(f"{len(found[outcome, harm]):6} {outcome}: {harm.word}\n")
    several = {pair: those for pair, those in found.items() if harms[pair[0]] > 1}
    for item, one in drawn(several, args.cells, args.seed):
        sys.stdout.write(f"\n{item.cell} (bound {bounds_in(item.cell).bound_ms / 1000:.0f} s)\n  {_line(item, one)}\n")


def pairs() -> Found:
    """Return the trials of the evidence by outcome and harm, in the order of their cells."""
    found: Found = defaultdict(list)
    with open_evidence(["shipped"], "", ANY_AGE) as evidence:
        for family in sorted(families()):
            stored = evidence.find(Wanted(family=[family]), facts=True)
            for item in sorted(stored.values(), key=lambda one: str(one.cell)):
                for one in item.verdicts:
                    if (harm := harm_of(one, bounds_in(item.cell))) is not None:
                        found[one.outcome, harm.rank].append((item, one))
    return found


def drawn(
    found: Mapping[Pair, list[tuple[SettledCell, Verdict]]], count: int, seed: int
) -> Iterator[tuple[SettledCell, Verdict]]:
    """Yield trials of several harms, one of each pair in turn, of a cell once."""
    rng = random.Random(seed)  # noqa: S311  # a draw of cells
    shuffled = [rng.sample(found[pair], len(found[pair])) for pair in sorted(found)]
    seen: set[str] = set()
    for one in chain.from_iterable(zip_longest(*shuffled)):
        if one is not None and str(one[0].cell) not in seen and len(seen) < count:
            seen.add(str(one[0].cell))
            yield one


def _line(item: SettledCell, one: Verdict) -> str:
    harm = harm_of(one, bounds_in(item.cell))
    words = "unknown" if harm is None else harm.words
    return f"{one.outcome}, conforms {one.conforms}: {words} ({', '.join(_facts(one))}); {one.reason}"


def _facts(one: Verdict) -> Iterator[str]:
    for name in FACTS_OF_HARM:
        value = getattr(one.facts, name)
        if value and name != "acked":
            yield f"{name} {value:.0f}" if isinstance(value, float) else f"{name} {value}"


if __name__ == "__main__":
    main()
