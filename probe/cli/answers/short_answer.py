"""Whether a client version may stay in a service, and if not, what instead: the first line of a look-up. Pure.

Less that was measured never reads as better: a role may stay where nothing is known to stop or lose work, of it or, in
scenarios that it lacks, of the releases around it. What was not measured is named, and by how few trials it is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from probe.catalogue.baseline import baseline
from probe.cells.answer_context import PLAIN, Asking, Remedies
from probe.cells.audit import Fault, Finding
from probe.cells.causes import is_mended_by_acks, is_scored, loses_and_stops, places
from probe.cells.levels import RoleLevel, is_often
from probe.cells.targets import Target
from probe.cli.answers.support import few_named, support, trials_behind
from probe.model import Cell, Role, Workload
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.roles import UNLEVELLED
from probe.model.versions import version_key

BEGINNING = "in short: "
"""Beginning of the line."""
NOT_MEASURED = "not known: nothing was measured of this release itself in the scored scenarios"

UNLESS_ACKS = " unless it writes with acks=all"
"""End of a verdict that rests on losses with acks below all alone."""


def in_short(faults: Sequence[Fault], levels: Sequence[RoleLevel], ways_out: Remedies, asking: Asking = PLAIN) -> str:
    """Return in which roles a version may stay, by the scored scenarios, and what instead.

    A role in which work stops or is lost by chance is named apart, and so is one that has it suspected only, by the
    releases around it; one of which less than half was measured is not known.
    """
    own = [one for one in faults if _is_asked(one)]
    known = {one.role: one for one in levels if one.role not in UNLEVELLED}
    if not any(one.told for one in known.values()):
        return _not_measured(own, asking) if own else ""
    bad = [one for one in own if one.is_proven and _is_grave(one)]
    guessed = [one for one in own if not one.is_proven and one.finding is not Finding.UNKNOWN]
    sure = {one.cell.role for one in bad if _is_sure(one)}
    some = {one.cell.role for one in bad} - sure
    lacking = {one.role for one in known.values() if one.is_little_known} - sure - some
    feared = {one.cell.role for one in guessed if _is_grave(one)} - sure - some - lacking
    parts = (
        _staying([known[role] for role in _ordered(known.keys() - sure - some - lacking - feared)], own),
        _by_trials("not as", sure, bad, [one for one in bad if _is_sure(one)]),
        _by_trials("perhaps not as", some, bad, bad),
        *(_by_releases(role, guessed) for role in _ordered(feared)),
        f"not known as {', '.join(_named(known[role]) for role in _ordered(lacking))}" if lacking else "",
    )
    beside = [_by_others([one for one in guessed if one.cell.role in lacking]), asking.measured] if lacking else []
    return "; ".join(filter(None, (", ".join(filter(None, parts)), _instead(bad, ways_out, asking), *beside)))


def _is_asked(one: Fault) -> bool:
    cell = one.cell
    is_usual = cell.workload is Workload.CONTINUOUS and cell.role not in UNLEVELLED
    return is_usual and (one.is_control or baseline().find(cell.scenario, cell.role) is not None)


def _is_grave(one: Fault) -> bool:
    return one.harm is not None and one.harm.rank >= Harm.STOPS and is_scored(one)


def _is_sure(one: Fault) -> bool:
    """Return whether a harm counts as it does for a level: its share of trials is not that of a rare chance."""
    return one.harm is not None and is_often(one.harm.bad, one.harm.of)


def _ordered(roles: Collection[Role]) -> list[Role]:
    return [one for one in Role if one in roles]


def _not_measured(own: Sequence[Fault], asking: Asking) -> str:
    """Return what answers in place of a release of which nothing was measured, and where to go on."""
    return "; ".join(filter(None, (NOT_MEASURED, _by_others(own), asking.measured)))


def _by_others(guessed: Sequence[Fault]) -> str:
    """Return what other releases or the library inside show in place of measurements; empty if they show nothing."""
    others = [one for one in guessed if one.harm is not None]
    grave = [one for one in others if _is_grave(one)]
    roles = ", ".join(_ordered({one.cell.role for one in grave}))
    if not grave:
        return "in the scored scenarios what answers in its place neither stops nor loses work" if others else ""
    if all(map(_is_by_acks, grave)):
        return f"what answers in its place loses records as {roles}{UNLESS_ACKS}"
    return f"what answers in its place stops or loses work as {roles}"


def _is_by_acks(one: Fault) -> bool:
    return is_mended_by_acks(one) and not loses_and_stops(one)


def _staying(fine: Sequence[RoleLevel], own: Sequence[Fault]) -> str:
    """Return the roles in which a version may stay, each with what was not measured, and by how few trials."""
    by_support: dict[str, list[str]] = {}
    for one in fine:
        mine = [fault for fault in own if fault.cell.role is one.role]
        measured = [fault for fault in mine if fault.is_proven and not fault.is_control]
        by_support.setdefault(support(measured) if one.low is None else "", []).append(_named(one, mine))
    parts = (f"{by and f', by {by}, '}as {', '.join(names)}" for by, names in sorted(by_support.items()))
    return f"may stay {' and '.join(parts)}".replace(" ,", ",") if fine else ""


def _named(one: RoleLevel, own: Iterable[Fault] = ()) -> str:
    """Return a role with how much of it was measured where that is not all; with findings, what was not, by name."""
    if one.told >= one.of:
        return str(one.role)
    own = list(own)
    around = {fault.cell.scenario for fault in own if not fault.is_own and fault.harm is not None}
    missing = ""
    if own and one.lacking:
        goes_on = ", where those around it go on" if around.issuperset(one.lacking) else ""
        missing = f", not {few_named(one.lacking)}{goes_on}"
    doubted = f"; undecided {few_named(one.undecided)}" if own and one.undecided else ""
    return f"{one.role} ({one.told} of {one.of} measured{missing}{doubted})"


def _by_trials(word: str, roles: Collection[Role], bad: Sequence[Fault], decisive: Sequence[Fault]) -> str:
    """Return in which roles work stops or is lost, each with the trials that show it where these are few or differ."""
    names = []
    for role in _ordered(roles):
        acks = UNLESS_ACKS if all(_is_by_acks(one) for one in bad if one.cell.role is role) else ""
        names.append(f"{role}{acks}{trials_behind([one for one in decisive if one.cell.role is role])}")
    return f"{word} {', '.join(names)}" if names else ""


def _by_releases(role: Role, guessed: Sequence[Fault]) -> str:
    """Return a role that has stops or losses suspected, with where, and the releases that have them."""
    mine = [one for one in guessed if one.cell.role is role and _is_grave(one)]
    words = dict.fromkeys(one.harm.rank.word for one in mine if one.harm is not None)
    where = few_named(list(dict.fromkeys(one.cell.scenario for one in mine)))
    acks = UNLESS_ACKS if all(map(_is_by_acks, mine)) else ""
    named = ", ".join(dict.fromkeys(_shown_by(mine)))
    return (
        f"perhaps not as {role} (suspected, as in {named}: {' or '.join(words)} in {where}{acks}; not measured of it)"
    )


def _shown_by(guessed: Iterable[Fault]) -> Iterator[str]:
    """Yield what shows a suspected harm: another release, another client, or this one with other settings."""
    for one in guessed:
        seen = one.evidence.cell if one.evidence is not None else one.cell
        if seen.client == one.cell.client:
            yield "its default settings"
        else:
            yield seen.version if seen.family == one.cell.family else str(seen.client)


def _instead(bad: Sequence[Fault], ways_out: Remedies, asking: Asking) -> str:
    """Return what mends how many of the faults that stop or lose work; empty without such faults."""
    if not bad:
        return ""
    by_acks = [one for one in bad if _is_by_acks(one)]
    left = [one for one in bad if one not in by_acks]
    by_chance = {one.evidence.cell for one in left if one.evidence and one.harm and one.harm.is_chance}
    mended = [
        (one.evidence.cell, way) for one in left if one.evidence and (way := ways_out.targets.get(one.evidence.cell))
    ]
    of = counted(len(bad), "fault")
    sure = [(cell, way) for cell, way in mended if cell not in by_chance]
    ways = [_best_release(sure or mended, of, asking)] if mended else []
    ways += [f"acks=all mends {len(by_acks)} of {of}"] if by_acks else []
    open_ones = len(left) - len(mended)
    search = f" ({asking.otherwise})" if asking.otherwise else ""
    none = f"no released version is known to mend {'it' if len(bad) == 1 else f'{open_ones} of {of}'}{search}"
    return ", ".join([*ways, *([none] if open_ones else [])])


def _best_release(mended: Sequence[tuple[Cell, Target]], of: str, asking: Asking) -> str:
    """Return the release that mends most, what stops there, and how much of it was not measured."""
    versions: Mapping[Target, int] = Counter(way for _, way in mended)
    names = {way: asking.named(cell, way.version) for cell, way in mended}
    best = max(versions, key=lambda way: (versions[way], version_key(way.version)))
    worse = f", but stops in {places(best.worse)}, where this one goes on" if best.worse else ""
    return f"{names[best]} mends {versions[best]} of {of}{worse}{best.less_measured}"
