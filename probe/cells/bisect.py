"""In which version did a client change? Which versions to run next to find out, given what is known. Pure.

What counts as a change: where some versions conform and others do not, that is the question, and outcomes that
conform (`refreshes`, `hinted`) are the same; else the outcome itself is. A version whose trials disagree conforms only
if each of them does. What is searched for is the first version of the newest stretch: all that is known from there on
is like the newest version. So an edge is found whatever lies before it, and where stored outcomes show that the two
ends are alike and something between them is not, that is found too.

Versions that say nothing about the client (broken, unsupported, not provoked, not to be had) are stepped over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from probe.cells.aggregate import SettledCell
from probe.model.outcomes import OUTCOMES


@dataclass(frozen=True, slots=True)
class NextRuns:
    """Run these versions next."""

    versions: tuple[str, ...]
    after: str = ""
    """The change lies after this version; empty while the ends are not known."""
    before: str = ""
    """And not after this one."""
    left: int = 0
    """Versions between the two that are not known."""


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Two versions that differ, with nothing between them that says anything."""

    before: str
    since: str
    """The first version of the newest stretch."""
    passed: tuple[str, ...]
    """Versions between the two that were stepped over."""


@dataclass(frozen=True, slots=True)
class NoChange:
    """All versions that are known do the same; empty = none says anything."""

    judged: tuple[str, ...]


def next_step(
    versions: Sequence[str], known: Mapping[str, SettledCell], absent: Collection[str] = ()
) -> NextRuns | ChangePoint | NoChange:
    """Say what to do next; `versions` ascend, those in `absent` cannot be had."""
    usable = [name for name in versions if name not in absent and (name not in known or known[name].judged)]
    ends = dict.fromkeys([*usable[:1], *usable[-1:]])
    if unknown := [name for name in ends if name not in known]:
        return NextRuns(tuple(unknown))
    judged = [name for name in usable if name in known]
    found = list(changes(judged, known))
    if not found:
        return NoChange(tuple(judged))
    before, since = found[-1]
    open_ = [name for name in _between(versions, before, since) if name in usable]
    if open_:
        return NextRuns((open_[len(open_) // 2],), before, since, len(open_))
    return ChangePoint(before, since, tuple(_between(versions, before, since)))


def changes(judged: Sequence[str], known: Mapping[str, SettledCell]) -> Iterator[tuple[str, str]]:
    """Yield each pair of neighbours, of ascending versions that are known, that do not do the same."""
    grades = {conforms(known[name]) for name in judged}
    by_grade = {True, False} <= grades
    sides = [conforms(known[name]) is True if by_grade else known[name].outcome for name in judged]
    for place in range(1, len(judged)):
        if sides[place] != sides[place - 1]:
            yield judged[place - 1], judged[place]


def conforms(settled: SettledCell) -> bool | None:
    """Say whether every trial conforms; None where that is not judged."""
    said = {item.conforms for item in settled.verdicts} - {None}
    return said == {True} if said else None


def unsure(edge: ChangePoint, known: Mapping[str, SettledCell], trials: int) -> tuple[str, ...]:
    """Return the sides of an edge that rest on fewer trials than that."""
    return tuple(name for name in (edge.before, edge.since) if len(known[name].verdicts) < trials)


def sentence(edge: ChangePoint, known: Mapping[str, SettledCell]) -> str:
    """Say what was found, in the form `FAMILY V is the first version that ... (ROLE, PROFILE, BROKER); U ...`."""
    cell = known[edge.since].cell
    where = f"({cell.role}, {cell.profile}, {cell.broker})"
    found = f"{cell.family} {edge.since} is the first version that {describe(known[edge.since])} {where}"
    return f"{found}; {edge.before} {describe(known[edge.before])}"


def describe(settled: SettledCell) -> str:
    """Say what a version does: `is stuck`, `is flaky (2 stuck, 1 refreshes)`."""
    return OUTCOMES[settled.outcome].says or f"is {settled.tally}"


def _between(versions: Sequence[str], before: str, since: str) -> Sequence[str]:
    return versions[versions.index(before) + 1 : versions.index(since)]
