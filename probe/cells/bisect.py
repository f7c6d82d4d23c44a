"""Find the version in which a client changed: which versions to run next, given the known ones. Pure.

If some versions conform and others do not, conformity is compared, and outcomes that conform (`refreshes`, `hinted`)
are equal. Otherwise the outcomes are compared. A version whose trials disagree conforms only if every trial does.
The search finds the first version from which on all known versions equal the newest one. It does so whatever earlier
versions did, and also where the oldest and the newest version are equal but a stored version between them is not.

Versions without an outcome about the client (broken, unsupported, not provoked, not available) are skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.cells.chances import fisher
from probe.cells.comparison import CHANCE, LEVEL, PLAIN
from probe.model.outcomes import OUTCOMES

SCREEN = 1
"""Trials of a version that find a change, and do not confirm it."""


@dataclass(frozen=True, slots=True)
class NextRuns:
    """The versions to run next."""

    versions: tuple[str, ...]
    after: str = ""
    """The change is in a later version than this one; empty while an end is not known."""
    before: str = ""
    """The change is in this version or an earlier one."""
    left: int = 0
    """Number of versions between the two that are not known."""


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """Two versions that differ, without a judged version between them."""

    before: str
    since: str
    """The first version that equals the newest one."""
    passed: tuple[str, ...]
    """The versions between the two that were skipped."""


@dataclass(frozen=True, slots=True)
class NoChange:
    """All known versions are equal; empty if no version is judged."""

    judged: tuple[str, ...]


def next_step(
    versions: Sequence[str], known: Mapping[str, SettledCell], absent: Collection[str] = ()
) -> NextRuns | ChangePoint | NoChange:
    """Return what to do next. `versions` ascend; versions in `absent` are not available."""
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


def narrower(
    edge: ChangePoint, known: Mapping[str, SettledCell], others: Mapping[str, SettledCell], versions: Sequence[str]
) -> ChangePoint | None:
    """Return the change within a change point that results under other conditions show, among themselves.

    `others` are these; None if they show none, or another one.
    """
    inside = {name: others[name] for name in _between(versions, edge.before, edge.since) if name in others}
    of_one = {item.cell.version: item for item in of_one_time([*inside.values()])}
    found = next_step([name for name in inside if name in of_one], of_one)
    if not isinstance(found, ChangePoint) or of_one[found.since].conforms is not known[edge.since].conforms:
        return None
    return replace(found, passed=tuple(_between(versions, found.before, found.since)))


def of_one_time(found: Sequence[SettledCell]) -> list[SettledCell]:
    """Return the cells under those comparable conditions of which most are known; of equally many the newest."""
    counts = Counter(item.since for item in found)
    most = max(counts, key=lambda since: (counts[since], since), default=None)
    return [item for item in found if item.since == most]


def changes(judged: Sequence[str], known: Mapping[str, SettledCell]) -> Iterator[tuple[str, str]]:
    """Yield every pair of adjacent known versions, in ascending order, that differ."""
    grades = {known[name].conforms for name in judged}
    by_grade = {True, False} <= grades
    sides = [known[name].conforms is True if by_grade else known[name].outcome for name in judged]
    for place in range(1, len(judged)):
        if sides[place] != sides[place - 1]:
            yield judged[place - 1], judged[place]


def unsure(edge: ChangePoint, known: Mapping[str, SettledCell], trials: int | None = None) -> tuple[Sequence[str], int]:
    """Return the versions of a change point that need further trials, and how many each of them needs in all.

    By default both need as many of one run as `is_shown` asks for; with `trials`, each needs that many.
    """
    sides = (edge.before, edge.since)
    if trials is not None:
        return [name for name in sides if len(known[name].verdicts) < trials], trials
    before, since = (known[name] for name in sides)
    wanted = SCREEN + (CHANCE if before.disagrees or since.disagrees else PLAIN)
    enough = before.run_id == since.run_id and min(len(before.verdicts), len(since.verdicts)) >= wanted
    return ((), wanted) if enough else (sides, wanted)


def is_shown(edge: ChangePoint, known: Mapping[str, SettledCell]) -> bool:
    """Return whether the trials of both sides show a change (docs/comparisons.md).

    The first trial of each side found the change and does not count. Of the others, of one run, four a side that agree
    are enough; of sides that disagree, twelve by Fisher's exact test.
    """
    before, since = known[edge.before], known[edge.since]
    if before.run_id != since.run_id:
        return False
    count = min(len(before.verdicts), len(since.verdicts)) - SCREEN
    old, new = (_good(item, before, since)[SCREEN : SCREEN + max(count, 0)] for item in (before, since))
    if len({*old}) == len({*new}) == 1:
        return count >= PLAIN and old[0] is not new[0]
    chance = min(fisher(sum(new), count, sum(old), count), fisher(sum(old), count, sum(new), count)) if count > 0 else 1
    return count >= CHANCE and chance <= LEVEL


def _good(item: SettledCell, before: SettledCell, since: SettledCell) -> list[bool]:
    """Return for each trial whether it is as the later side: it conforms, or where both do, has its outcome."""
    if before.conforms is not since.conforms:
        return [(one.conforms is True) is (since.conforms is True) for one in item.verdicts]
    usual = since.votes.most_common(1)[0][0]
    return [one.outcome is usual for one in item.verdicts]


def sentence(edge: ChangePoint, known: Mapping[str, SettledCell]) -> str:
    """Describe a change point: `FAMILY V is the first version that ... (ROLE, PROFILE, BROKER); U ...`."""
    cell = known[edge.since].cell
    where = f"({cell.role}, {cell.profile}, {cell.broker}{cell.unusual})"
    found = f"{cell.family} {edge.since} is the first version that {describe(known[edge.since])} {where}"
    return f"{found}; {edge.before} {describe(known[edge.before])}; harm: {_harms(edge, known)}"


def _harms(edge: ChangePoint, known: Mapping[str, SettledCell]) -> str:
    """Return the harm before and since: `stops silently -> none`."""
    found = (harm_in(known[name]) for name in (edge.before, edge.since))
    return " -> ".join(one.words if one is not None else "unknown" for one in found)


def describe(settled: SettledCell) -> str:
    """Return what a version does: `is stuck`, `is flaky: stuck in 2 of 3, refreshes in 1`."""
    return OUTCOMES[settled.outcome].says or f"is {settled.tally}"


def _between(versions: Sequence[str], before: str, since: str) -> Sequence[str]:
    return versions[versions.index(before) + 1 : versions.index(since)]
