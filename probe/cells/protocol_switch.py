"""May a member of a group switch to the new group protocol (KIP-848)? One line, from settled cells. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family
from probe.catalogue.selectors import ONLY_FOR
from probe.cells.aggregate import SettledCell
from probe.cells.audit import UNPROVEN, Fault
from probe.cells.cell_harm import CellHarm, harm_in
from probe.model import CONTROL, Cell, Client, Profile, Workload
from probe.model.harm import Harm
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE
from probe.model.release_lines import DEFAULT_LINE, Since, has
from probe.model.versions import version_key
from probe.scenarios.own_profiles import profile_of

QUESTION = "May it switch to the consumer protocol?"
SWITCHING = ONLY_FOR[CONSUMER_PROTOCOL]
MANY = 2
"""A release was measured well in one of this many of the scored scenarios."""

YES = "yes: it makes nothing stop, stall or get lost"

Near = Mapping[str, Mapping[Cell, SettledCell]]
"""Cells of releases near the one that is asked about, by version."""
Release = tuple[str, Mapping[Cell, SettledCell]]


def hindrance(family: Family, version: str, line: str) -> str:
    """Return why members of this version cannot have the new protocol on brokers of a line; empty if they can."""
    span = family.profiles.get(CONSUMER_PROTOCOL)
    if span is None:
        return f"{family.family} has no profile {CONSUMER_PROTOCOL}"
    if not span.covers(version):
        since = f" since {span.since}" if span.since else ""
        return f"{family.family} has it{since}: {span.reason}"
    if has(line, Since.NEW_GROUPS):
        return ""
    first = Since.NEW_GROUPS.line
    return f"brokers of line {line} do not serve it (KIP-848), those from {first} on do: name their line by --broker"


def answer(asked: Client, line: str, faults: Sequence[Fault], stored: Mapping[Cell, SettledCell], near: Near) -> str:
    """Return the answer of the cells of the scored scenarios in that profile, or of the nearest line that has some.

    Harm that the classic protocol does too, on the same release line or on 3.9, is no reason against a switch. Where
    fewer than half were measured, `near` answers as well: cells of releases around it. Empty if nothing was measured.
    """
    scored = _scored()
    known = {fault.cell: fault.harm for fault in faults if fault.harm is not None and _counts(fault, scored)}
    if known:
        beside = {one.cell: one.harm for one in faults if one.harm is not None and _stops_beside(one, scored, stored)}
        own, count = _verdict(known, beside, scored, stored), len(known)
    else:
        own, count = _elsewhere(line, scored, stored)
    if not near or _is_much(count, scored):
        return own
    others = [text for side in _sides(asked, near) if (text := _nearest(asked, line, scored, side))]
    return "; ".join([own or f"{asked.version} was not measured", *others]) if own or others else ""


def _is_much(count: int, scored: Collection[str]) -> bool:
    return MANY * count >= len(scored)


def _sides(asked: Client, near: Near) -> tuple[list[Release], list[Release]]:
    """Return the older and the newer releases, each with the nearest first."""
    ordered = sorted(near.items(), key=lambda item: version_key(item[0]))
    older = [item for item in ordered if version_key(item[0]) < version_key(asked.version)]
    return older[::-1], [item for item in ordered if version_key(item[0]) > version_key(asked.version)]


def _nearest(asked: Client, line: str, scored: AbstractSet[str], side: Sequence[Release]) -> str:
    """Return the answer of the nearest release that was measured much, or that says no; empty if none was."""
    for version, cells in side:
        here = {cell: harm for cell, harm in _harms(cells, scored).items() if cell.broker == line}
        found, count = (
            (f"on {line}: {_verdict(here, {}, scored, cells)}", len(here)) if here else _elsewhere(line, scored, cells)
        )
        if found and (_is_much(count, scored) or YES not in found):
            where = "after" if version_key(version) > version_key(asked.version) else "before"
            return f"{version}, the nearest release {where} it that tells, {found}"
    return ""


def measured(cells: Iterable[SettledCell]) -> Mapping[str, int]:
    """Return by version in how many scored scenarios it was measured with the protocol, on the line with most."""
    scored, counts = _scored(), Counter[tuple[str, str]]()
    counts.update((item.cell.version, item.cell.broker) for item in cells if _answers(item, scored))
    found: dict[str, int] = {}
    for (version, _), count in counts.items():
        found[version] = max(count, found.get(version, 0))
    return found


def _scored() -> frozenset[str]:
    return frozenset(one.scenario for role in SWITCHING for one in baseline().of(role))


def _harms(cells: Mapping[Cell, SettledCell], scored: AbstractSet[str]) -> dict[Cell, CellHarm]:
    every = {item.cell: harm_in(item) for item in cells.values() if _answers(item, scored)}
    return {cell: harm for cell, harm in every.items() if harm is not None}


def _elsewhere(line: str, scored: AbstractSet[str], stored: Mapping[Cell, SettledCell]) -> tuple[str, int]:
    """Return the answer of the newest other line, and of how many scenarios; empty if none was measured."""
    known = {cell: harm for cell, harm in _harms(stored, scored).items() if cell.broker != line}
    if not known:
        return "", 0
    there = max((cell.broker for cell in known), key=version_key)
    known = {cell: harm for cell, harm in known.items() if cell.broker == there}
    stricter = has(there, Since.RELAXED_COMMITS) and not has(line, Since.RELAXED_COMMITS)
    but = "; brokers before 4.3 refuse commits of an older member epoch with 113 (KIP-1251)" if stricter else ""
    return f"not measured on line {line}; on {there}: {_verdict(known, {}, scored, stored)}{but}", len(known)


def _answers(item: SettledCell, scored: Collection[str]) -> bool:
    return item.judged and _asked(item.cell, scored) and has(item.cell.broker, Since.NEW_GROUPS)


def _verdict(
    known: Mapping[Cell, CellHarm],
    beside: Mapping[Cell, CellHarm],
    scored: AbstractSet[str],
    stored: Mapping[Cell, SettledCell],
) -> str:
    grave = {cell: harm for cell, harm in known.items() if harm.rank >= Harm.STALLS}
    own = {cell: harm for cell, harm in grave.items() if not _shared(cell, harm, stored)}
    shared = {cell: harm for cell, harm in grave.items() if cell not in own}
    also = f"; as in the classic protocol: {_words(shared)}" if shared else ""
    measured = f" ({len(known)} of {len(scored)} scored scenarios measured)"
    if not own:
        but = f"; outside the scored scenarios: {_words(beside)}" if beside else ""
        return f"{YES}{also}{measured}{but}"
    worst = max(harm.rank for harm in own.values())
    return f"{'no' if worst >= Harm.STOPS else 'with care'}: {_words(own)}{also}{measured}"


def _counts(fault: Fault, scored: Collection[str]) -> bool:
    return _asked(fault.cell, scored) and fault.finding not in UNPROVEN


def _asked(cell: Cell, scored: Collection[str]) -> bool:
    asked = cell.role in SWITCHING and cell.workload is Workload.CONTINUOUS and cell.scenario in scored
    return asked and Profile.parse(cell.profile).name == CONSUMER_PROTOCOL


def _stops_beside(fault: Fault, scored: AbstractSet[str], stored: Mapping[Cell, SettledCell]) -> bool:
    """Return whether something that is not scored stops or loses work, which the classic protocol does not."""
    cell, harm = fault.cell, fault.harm
    if harm is None or harm.rank < Harm.STOPS or cell.scenario in scored | {CONTROL} or fault.finding in UNPROVEN:
        return False
    of_new_groups = profile_of(cell.scenario) == CONSUMER_PROTOCOL
    return Profile.parse(cell.profile).name == CONSUMER_PROTOCOL and (of_new_groups or not _shared(cell, harm, stored))


def _words(known: Mapping[Cell, CellHarm]) -> str:
    by_words: dict[str, list[str]] = {}
    for cell, harm in sorted(known.items(), key=lambda item: (-item[1].rank, item[0].scenario)):
        by_words.setdefault(harm.words, []).append(cell.scenario)
    return "; ".join(f"{words} in {', '.join(scenarios)}" for words, scenarios in by_words.items())


def _shared(cell: Cell, harm: CellHarm, stored: Mapping[Cell, SettledCell]) -> bool:
    """Return whether the classic protocol is known to do as much harm, in the scenario's usual profile."""
    profile = profile_of(cell.scenario) or DEFAULT_PROFILE
    classic = (stored.get(replace(cell, profile=profile, broker=line)) for line in (cell.broker, DEFAULT_LINE))
    found = next((one for one in classic if one is not None and one.judged), None)
    other = None if found is None else harm_in(found)
    return other is not None and other.rank >= harm.rank
