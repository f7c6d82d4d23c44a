"""Every pair of neighbouring listed versions of a library, compared and decided in one run (`probe advise FAMILY`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Compared
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cli.wiring.advice import Source
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.comparisons import Change, compared, other_conditions, stored_cells
from probe.cli.wiring.decisive_trials import decisive
from probe.cli.wiring.evidence import open_evidence
from probe.model import Cell
from probe.model.versions import version_key


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two versions between which no other listed one was measured, and what is said of them."""

    older: str
    newer: str
    compared: Sequence[Compared]
    apart: Sequence[Cell]
    """Cells under older conditions than their partners, which are not compared."""


def look_at_all(source: Source, trials: int) -> tuple[list[Neighbours], Asked]:
    """Compare what is stored of all neighbouring versions."""
    with open_evidence(source.evidence, source.results, source.max_age) as evidence:
        stored = stored_cells(evidence, source.change, source.wanted)
        asked = Asked.of(stored.values(), trials=trials)
        found = []
        for older, newer in pairwise(_measured(source, stored)):
            change = replace(source.change, old=older, new=newer)
            steps, _ = compared(stored, change, source.wanted)
            apart = other_conditions(stored, change, source.wanted)
            found.append(Neighbours(older, newer, compared_steps(decisive(steps, evidence), asked), apart))
    return found, asked


def decide_all(source: Source, trials: int, jobs: int | None) -> list[Neighbours]:
    """Play what differs between neighbours, all of it in one run, so that each version serves both of its pairs."""
    from probe.cli.wiring.fresh_trials import decide  # noqa: PLC0415  # loads what runs need

    found, asked = look_at_all(source, trials)
    open_ones = [one for pair in found for one in pair.compared if one.needs]
    if not open_ones:
        return found
    decide(open_ones, asked, source.results, jobs)
    return look_at_all(source, trials)[0]


def every_version(family: str) -> Change:
    """Return the change that stands for all neighbouring versions of a family."""
    versions = sorted((item.version for item in families()[family].versions), key=version_key)
    return Change("version", versions[0], versions[-1], (family,))


def _measured(source: Source, stored: dict[Cell, SettledCell]) -> list[str]:
    """Return the listed versions with cells on the line, ascending."""
    (family,) = source.change.clients
    listed = {item.version for item in families()[family].versions}
    there = {
        cell.version for cell in stored if cell.broker == source.wanted.line and cell.profile in source.wanted.profiles
    }
    return sorted(listed & there, key=version_key)
