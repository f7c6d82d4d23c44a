"""Known results whose contrast is another version of the library: the pairs of `comparisons.py` and `history.py`.

A known difference that a comparison may be asked for is one of harm, since harm is what comparisons compare
(docs/comparisons.md). The evidence that ships says which pairs differ in it, and which release is the worse one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from probe.catalogue.files import data_file
from probe.catalogue.known_results import Expectation, contrasted, expected, read_known
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Answer
from probe.cells.comparison_steps import Asked, compared_steps, expectation
from probe.cells.trends import Step
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Engine


@dataclass(frozen=True, slots=True)
class Pair:
    """A known result: the same cell of a worse and of a better release."""

    name: str
    worse: Cell
    better: Cell
    is_stored: bool = False
    """Whether evidence that ships shows it. Otherwise the known result's own release is taken for the worse one."""
    is_race: bool = False
    """Whether only some trials show it."""


def known_versions() -> list[tuple[Expectation, Expectation, str]]:
    """Return known results of the embedded engine whose contrast is another version of the library, with their names.

    Of several with the same two cells the last one.
    """
    found: dict[tuple[Cell, Cell], tuple[Expectation, Expectation, str]] = {}
    for entry in read_known(data_file("known_results.toml")):
        one, other = expected(entry), contrasted(entry)
        bad, good = one.cell, other.cell
        if bad.engine is Engine.EMBEDDED and bad.version != good.version and replace(bad, version=good.version) == good:
            found[bad, good] = one, other, one.name
    return list(found.values())


def pairs() -> tuple[list[Pair], list[str]]:
    """Return the known results with a worse release, and the names of those without one: they differ in no harm."""
    known = known_versions()
    with open_evidence(["shipped"], "", 10_000) as evidence:
        stored = evidence.find(Wanted.of({one.cell for row in known for one in row[:2]}))
    rows: list[Pair] = []
    alike: list[str] = []
    for entry, contrast, name in known:
        one, other = entry.cell, contrast.cell
        towards = towards_of(stored.get(other), stored.get(one))
        if towards is Answer.SAME or not _requires(one):
            alike.append(name)
            continue
        worse, better = (one, other) if towards is Answer.WORSE else (other, one)
        is_stored = one in stored and other in stored
        rows.append(Pair(name, worse, better, is_stored=is_stored, is_race=entry.claim.is_race))
    return rows, alike


def _requires(cell: Cell) -> bool:
    """Return whether a scenario requires anything: where it does not, comparisons say nothing worse than `changed`."""
    play = expectation(cell)
    return play is None or bool(play.conforms)


def towards_of(before: SettledCell | None, after: SettledCell | None) -> Answer:
    """Return how the entry's cell stands to its contrast: worse, better or the same; worse without evidence of both."""
    if before is None or after is None:
        return Answer.WORSE
    (found,) = compared_steps([Step(before, after)], Asked(chance=frozenset()))
    return found.towards
