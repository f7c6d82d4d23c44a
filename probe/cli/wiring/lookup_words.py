"""The words of a look-up that name nothing, and why nothing is known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen
from probe.model import Cell
from probe.model.counts import counted
from probe.model.hints import did_you_mean


def check_scenarios(patterns: Sequence[str] | None, known: Iterable[Cell]) -> None:
    """Raise CatalogueError for a pattern that matches neither a scenario of the evidence nor one of the catalogue."""
    there = {cell.scenario for cell in known}
    if unmatched := [glob for glob in patterns or () if not any(fnmatchcase(name, glob) for name in there)]:
        select_scenarios(unmatched)


def nothing(client: str, asked: Chosen, known: Collection[Cell], evidence: Sequence[str]) -> str:
    """Return that nothing is known, and why: by the options, or the version is not listed, or it was not run."""
    places = ", ".join(evidence) or "no such evidence is there"
    if known:
        return f"there is evidence on {counted(len(known), 'cell')} of {client} ({places}), but none with these options"
    family, version = asked.family, asked.client.version
    if family.find(version) is not None or "@" not in client:
        return f"nothing is known of {client} ({places}); `probe run --client {client}` measures it"
    listed = [item.version for item in family.versions]
    hint = did_you_mean(version, listed, f"`probe clients` lists those of {family.family}, the newest is {listed[-1]}")
    return f"nothing is known of {client} ({places}), and it is no listed version; {hint}"
