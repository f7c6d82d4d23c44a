"""Draw answers of `probe supports` by seed, so that a reader can check each against its source.

    python benchmarks/supports_cells.py --seed 1 [--count 100] [--evidence FILE]

Prints one line per answer: client, KIP, column (declared, wire, faults), answer, and what it rests on. Answers `not
known` are drawn as others are. The last line counts the contradictions of all answers.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator

from probe.cells.aggregate import SettledCell
from probe.cells.supports import Support
from probe.cli.answers.supports import sign_words, statement_words
from probe.cli.wiring import evidence as given
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.kip_support import supports_of
from probe.evidence.cell_choice import Wanted
from probe.model import Cell

Answer = tuple[str, str, str, str]
"""Client, KIP, column, and the answer with what it rests on."""


def supports(evidence: str) -> Iterator[Support]:
    """Yield every KIP of every client version that evidence has."""
    with given.open_evidence([evidence], "no-results", 36_500) as found:
        for name in sorted(families()):
            wanted = Wanted(family=[name])
            stored, first = found.find(wanted, facts=True), found.handshakes(wanted)
            by_version: dict[str, dict[Cell, SettledCell]] = {}
            for cell, settled in stored.items():
                by_version.setdefault(cell.version, {})[cell] = settled
            for version, mine in sorted(by_version.items()):
                yield from supports_of(families()[name], version, mine, stored.values(), first)


def answers(one: Support) -> Iterator[Answer]:
    """Yield the answers of a KIP, one per column."""
    client, kip = str(one.client), str(one.kip)
    yield client, kip, "declared", f"{statement_words(one)} {one.statement.link}"
    for column, signs in (("wire", one.wire), ("faults", one.behaves)):
        shown = " / ".join(
            f"{sign.role or 'all'}: {sign_words(sign)}"
            + (f" [{sign.cell.cell.scenario}, {sign.cell.cell.engine} {sign.cell.cell.broker}]" if sign.cell else "")
            for sign in signs
        )
        yield client, kip, column, shown


def main() -> None:
    """Print the drawn answers and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--evidence", default="shipped")
    asked = parser.parse_args()
    known = list(supports(asked.evidence))
    every = [answer for one in known for answer in answers(one)]
    for answer in random.Random(asked.seed).sample(every, min(asked.count, len(every))):  # noqa: S311  # a draw, no secret
        sys.stdout.write("\t".join(answer) + "\n")
    counted = Counter(str(one.contradiction) for one in known if one.contradiction)
    sys.stderr.write(f"{len(known)} KIPs of versions, {len(every)} answers; {dict(counted)}\n")


if __name__ == "__main__":
    main()
