"""Whether a client version may stay in a service, and if not, what instead: the first line of a look-up. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from probe.catalogue.baseline import baseline
from probe.cells.answer_context import PLAIN, Asking, Remedies
from probe.cells.audit import Fault
from probe.cells.causes import is_mended_by_acks, is_scored, loses_and_stops, places
from probe.cells.levels import RoleLevel
from probe.model import Role, Workload
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.roles import UNLEVELLED
from probe.model.versions import version_key

BEGINNING = "in short: "
"""Beginning of the line."""
NOT_MEASURED = "not known: nothing was measured of this release itself in the scored scenarios"


def in_short(faults: Sequence[Fault], levels: Sequence[RoleLevel], ways_out: Remedies, asking: Asking = PLAIN) -> str:
    """Return in which roles a version may stay, by the scored scenarios that were measured of it, and what instead.

    A role in which only some trials stop or lose work is named apart, since chance has a part; so is one of which less
    than half was measured.
    """
    own = [one for one in faults if _is_asked(one)]
    known = {one.role: (max(one.known, one.measured), one.of) for one in levels if one.role not in UNLEVELLED}
    if not any(count for count, _ in known.values()):
        return _not_measured(own, asking) if own else ""
    bad = [one for one in own if one.is_proven and _is_grave(one)]
    sure = {one.cell.role for one in bad if not _is_chance(one)}
    some = {one.cell.role for one in bad} - sure
    lacking = {one.role for one in levels if one.is_little_known} - sure - some
    fine = {role: known[role] for role in known.keys() - sure - some - lacking}
    parts = (
        f"may stay as {_named(fine)}" if fine else "",
        f"not as {_named(dict.fromkeys(sure))}" if sure else "",
        f"perhaps not as {_named(dict.fromkeys(some))} (some trials only)" if some else "",
        f"not known as {_named({role: known[role] for role in lacking})}" if lacking else "",
    )
    guessed = [one for one in own if one.cell.role in lacking and not one.is_proven]
    instead = _instead(bad, ways_out, asking)
    beside = [_by_others(guessed), asking.measured] if lacking else []
    return "; ".join(filter(None, (f"{', '.join(filter(None, parts))}{f': {instead}' if instead else ''}", *beside)))


def _is_asked(one: Fault) -> bool:
    cell = one.cell
    is_usual = cell.workload is Workload.CONTINUOUS and cell.role not in UNLEVELLED
    return is_usual and (one.is_control or baseline().find(cell.scenario, cell.role) is not None)


def _is_grave(one: Fault) -> bool:
    return one.harm is not None and one.harm.rank >= Harm.STOPS and is_scored(one)


def _is_chance(one: Fault) -> bool:
    return one.harm is not None and one.harm.bad < one.harm.of


def _not_measured(own: Sequence[Fault], asking: Asking) -> str:
    """Return what answers in place of a release of which nothing was measured, and where to go on."""
    return "; ".join(filter(None, (NOT_MEASURED, _by_others(own), asking.measured)))


def _by_others(guessed: Sequence[Fault]) -> str:
    """Return what other releases or the library inside show in place of measurements; empty if they show nothing."""
    others = [one for one in guessed if one.harm is not None]
    grave = [one for one in others if _is_grave(one)]
    roles = _named(dict.fromkeys(one.cell.role for one in grave))
    if not grave:
        return "in the scored scenarios what answers in its place neither stops nor loses work" if others else ""
    if all(map(_is_by_acks, grave)):
        return f"what answers in its place loses records as {roles} unless it writes with acks=all"
    return f"what answers in its place stops or loses work as {roles}"


def _is_by_acks(one: Fault) -> bool:
    return is_mended_by_acks(one) and not loses_and_stops(one)


def _named(roles: Mapping[Role, tuple[int, int] | None]) -> str:
    """Return roles by name, each with how much of it was measured where that is not all."""
    names = []
    for role in (one for one in Role if one in roles):
        count, of = roles[role] or (0, 0)
        names.append(f"{role} ({count} of {of} measured)" if count < of else str(role))
    return ", ".join(names)


def _instead(bad: Sequence[Fault], ways_out: Remedies, asking: Asking) -> str:
    """Return what mends how many of the faults that stop or lose work; empty without such faults."""
    if not bad:
        return ""
    by_acks = [one for one in bad if _is_by_acks(one)]
    left = [one for one in bad if one not in by_acks]
    mended = [
        (one.evidence.cell, way) for one in left if one.evidence and (way := ways_out.targets.get(one.evidence.cell))
    ]
    versions = Counter(way for _, way in mended)
    names = {way: asking.named(cell, way.version) for cell, way in mended}
    of = counted(len(bad), "fault")
    ways = [f"acks=all mends {len(by_acks)} of {of}"] if by_acks else []
    if versions:
        best = max(versions, key=lambda way: (versions[way], version_key(way.version)))
        worse = f", but stops in {places(best.worse)}, where this one goes on" if best.worse else ""
        ways.insert(0, f"{names[best]} mends {versions[best]} of {of}{worse}")
    open_ones = len(left) - sum(versions.values())
    search = f" ({asking.otherwise})" if asking.otherwise else ""
    none = f"no released version is known to mend {'it' if len(bad) == 1 else f'{open_ones} of {of}'}{search}"
    return ", ".join([*ways, *([none] if open_ones else [])])
