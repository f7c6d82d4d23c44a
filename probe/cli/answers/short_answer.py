"""Whether a client version may stay in a service, and if not, what instead: the first line of a look-up. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from probe.catalogue.baseline import UNLEVELLED, baseline
from probe.cells.audit import UNPROVEN, Fault
from probe.cells.causes import is_mended_by_acks, is_scored, loses_and_stops
from probe.cells.levels import RoleLevel
from probe.cli.answers.decision import Remedies
from probe.model import Role, Workload
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.versions import version_key

BEGINNING = "in short: "
"""Beginning of the line."""
NOT_MEASURED = (
    "not known: this release itself was not measured in the scored scenarios; what follows is of those beside it"
)


def in_short(faults: Sequence[Fault], levels: Sequence[RoleLevel], ways_out: Remedies, otherwise: str = "") -> str:
    """Return in which roles a version may stay, by the scored scenarios that were measured of it, and what instead.

    A role in which only some trials stop or lose work is named apart, since chance has a part; so is one of which less
    than half was measured. `otherwise` is what may be done where no released version is known to mend a fault.
    """
    own = [one for one in faults if _is_asked(one)]
    known = {one.role: (max(one.known, one.measured), one.of) for one in levels if one.role not in UNLEVELLED}
    if not any(count for count, _ in known.values()):
        return NOT_MEASURED if own else ""
    bad = [one for one in own if _is_measured(one) and _is_grave(one)]
    sure = {one.cell.role for one in bad if not _is_chance(one)}
    some = {one.cell.role for one in bad} - sure
    lacking = {role for role, (count, of) in known.items() if 2 * count < of} - sure - some
    fine = {role: known[role] for role in known.keys() - sure - some - lacking}
    parts = (
        f"may stay as {_named(fine)}" if fine else "",
        f"not as {_named(dict.fromkeys(sure))}" if sure else "",
        f"perhaps not as {_named(dict.fromkeys(some))} (some trials only)" if some else "",
        f"not known as {_named({role: known[role] for role in lacking})}" if lacking else "",
    )
    instead = _instead(bad, ways_out, otherwise)
    return f"{', '.join(filter(None, parts))}{f': {instead}' if instead else ''}"


def _is_asked(one: Fault) -> bool:
    cell = one.cell
    is_usual = cell.workload is Workload.CONTINUOUS and cell.role not in UNLEVELLED
    return is_usual and (one.is_control or baseline().find(cell.scenario, cell.role) is not None)


def _is_grave(one: Fault) -> bool:
    return one.harm is not None and one.harm.rank >= Harm.STOPS and is_scored(one)


def _is_chance(one: Fault) -> bool:
    return one.harm is not None and one.harm.bad < one.harm.of


def _is_measured(one: Fault) -> bool:
    return one.finding not in UNPROVEN and one.evidence is not None


def _named(roles: Mapping[Role, tuple[int, int] | None]) -> str:
    """Return roles by name, each with how much of it was measured where that is not all."""
    names = []
    for role in (one for one in Role if one in roles):
        count, of = roles[role] or (0, 0)
        names.append(f"{role} ({count} of {of} measured)" if count < of else str(role))
    return ", ".join(names)


def _instead(bad: Sequence[Fault], ways_out: Remedies, otherwise: str) -> str:
    """Return what mends how many of the faults that stop or lose work; empty without such faults."""
    if not bad:
        return ""
    by_acks = [one for one in bad if is_mended_by_acks(one) and not loses_and_stops(one)]
    left = [one for one in bad if one not in by_acks]
    versions = Counter(
        way for one in left if one.evidence is not None and (way := ways_out.mending.get(one.evidence.cell, ""))
    )
    of = counted(len(bad), "fault")
    ways = [f"acks=all mends {len(by_acks)} of {of}"] if by_acks else []
    if versions:
        best = max(versions, key=lambda way: (versions[way], version_key(way)))
        ways.insert(0, f"{best} mends {versions[best]} of {of}")
    open_ones = len(left) - sum(versions.values())
    search = f" ({otherwise})" if otherwise else ""
    none = f"no released version is known to mend {'it' if len(bad) == 1 else f'{open_ones} of {of}'}{search}"
    return ", ".join([*ways, *([none] if open_ones else [])])
