"""May a member of a group switch to the new group protocol (KIP-848)? One line, from settled cells. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family
from probe.catalogue.selectors import ONLY_FOR
from probe.cells.aggregate import SettledCell
from probe.cells.audit import UNPROVEN, Fault
from probe.cells.cell_harm import CellHarm, harm_in
from probe.model import CONTROL, Cell, Profile, Workload
from probe.model.harm import Harm
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE
from probe.model.release_lines import DEFAULT_LINE, Since, has
from probe.model.versions import version_key
from probe.scenarios.own_profiles import profile_of

QUESTION = "May it switch to the consumer protocol?"
SWITCHING = ONLY_FOR[CONSUMER_PROTOCOL]


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


def answer(faults: Sequence[Fault], stored: Mapping[Cell, SettledCell]) -> str:
    """Return the answer of the cells of the scored scenarios in that profile, or of the nearest line that has some.

    Harm that the classic protocol does too, on the same release line or on 3.9, is no reason against a switch. Empty
    where no line was measured.
    """
    scored = {one.scenario for role in SWITCHING for one in baseline().of(role)}
    known = {fault.cell: fault.harm for fault in faults if fault.harm is not None and _counts(fault, scored)}
    if known:
        beside = {one.cell: one.harm for one in faults if one.harm is not None and _stops_beside(one, scored, stored)}
        return _verdict(known, beside, scored, stored)
    return _elsewhere({fault.cell.broker for fault in faults}, scored, stored)


def _elsewhere(asked: Collection[str], scored: AbstractSet[str], stored: Mapping[Cell, SettledCell]) -> str:
    """Return the answer of the newest other line; empty if none has the protocol and was measured."""
    cells = [item for cell, item in stored.items() if item.cell.version == cell.version and _answers(item, scored)]
    lines = sorted({item.cell.broker for item in cells} - {*asked}, key=version_key)
    if len(asked) != 1 or not lines:
        return ""
    known = {item.cell: harm_in(item) for item in cells if item.cell.broker == lines[-1]}
    found = _verdict({cell: harm for cell, harm in known.items() if harm is not None}, {}, scored, stored)
    (here,), there = asked, lines[-1]
    stricter = has(there, Since.RELAXED_COMMITS) and not has(here, Since.RELAXED_COMMITS)
    but = "; brokers before 4.3 refuse commits of an older member epoch with 113 (KIP-1251)" if stricter else ""
    return f"not measured on line {here}; on {there}: {found}{but}"


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
        return f"yes: it makes nothing stop, stall or get lost{also}{measured}{but}"
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
