"""Findings about a client by what they cost and why: one entry per cause, with the scenarios and roles of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from probe.catalogue.baseline import baseline
from probe.catalogue.scenarios import CORE_FAULTS
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding
from probe.cells.cell_harm import CellHarm, stops_beside_loss
from probe.model.cell import Cell, Role, Workload
from probe.model.counts import share
from probe.model.harm import Harm
from probe.model.profile import OWN_DEFAULTS, SHORT_LIMITS, named_profile
from probe.model.refusals import unsent
from probe.model.roles import UNLEVELLED
from probe.scenarios.own_profiles import profile_of

_FATAL = re.compile(r"the client ended unasked after .*?: fatal (?P<why>.*)", re.DOTALL)
_ADDRESS = re.compile(r"\[?\(?'?\d+\.\d+\.\d+\.\d+.*")
_COUNTS = re.compile(r"\d[\d.,]* ?")
_CLAUSES: Mapping[str, str] = {
    "never asked who serves now": "it never asks who serves now",
    "close() did not return": "close() does not return",
    "no error was reported": "it reports no error where it has to",
    "warm-up did not end": "it never begins to work",
    "does not serve": "it does not serve again",
    "it asked after": "it asks who serves now, and does not recover",
    "not recovered": "it does not recover",
}
"""Clauses of the reason of a standstill, each with the cause in words; the first that is found counts."""
STREAM_ENDED = "the driver's stream ended"
"""The text of a driver that is lost without last words (`probe/drivers/process.py`)."""
LONGEST = 90
"""Greatest length of a library's own text in a cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Faults with the same harm and cause."""

    harm: CellHarm
    """The gravest of the faults."""
    text: str
    """Why, in words without numbers."""
    faults: tuple[Fault, ...]
    scored: bool
    """Whether the baseline scores one of them."""

    @property
    def is_silent(self) -> bool:
        """Whether the application hears of none of them."""
        harms = [one.harm for one in self.faults]
        return all(harm is not None and harm.worst.silently for harm in harms)

    @property
    def word(self) -> str:
        """The harm in words: `stops silently`."""
        stops = f"{Harm.STOPS.word}, " if all(map(loses_and_stops, self.faults)) else ""
        return f"{stops}{self.harm.rank.word}{' silently' if self.is_silent else ''}{self.harm.worst.scope_words}"

    @property
    def where(self) -> str:
        """The scenarios, each with its roles: `broker/hang, net/blackhole (consumer, group)`."""
        return placed(self.faults)


def placed(faults: Iterable[Fault], most: int = 0) -> str:
    """Return the scenarios of faults, each with its roles: `broker/hang, net/blackhole (consumer, group)`.

    Beyond `most` scenarios they are counted; 0 = all are named.
    """
    roles: dict[str, list[str]] = {}
    for fault in sorted(faults, key=_place):
        harm = fault.harm
        some = "" if harm is None else share(harm.bad, harm.of)
        name = f"{fault.cell.role}{some}{_unusual(fault)}"
        mine = roles.setdefault(fault.cell.scenario, [])
        if name not in mine:
            mine.append(name)
    shared: dict[str, list[str]] = {}
    for scenario, names in list(roles.items())[: most or None]:
        shared.setdefault(", ".join(names), []).append(scenario)
    more = f" and {len(roles) - most} more" if most and len(roles) > most else ""
    return ", ".join(f"{', '.join(scenarios)} ({names})" for names, scenarios in shared.items()) + more


def places(cells: Iterable[Cell]) -> str:
    """Return the scenarios of cells, each with its roles."""
    return placed(Fault(cell, Finding.FAILS, None) for cell in cells)


def is_scored(fault: Fault) -> bool:
    """Return whether the baseline scores a fault, with the harm that it has.

    A control cell counts with the profiles of scored scenarios: with `consumer-protocol` a line that does not serve the
    new group protocol is none of the client's faults.
    """
    if fault.is_control:
        return named_profile(fault.cell.profile) in _scored_profiles()
    one = baseline().find(fault.cell.scenario, fault.cell.role)
    if one is None or fault.harm is None or fault.cell.workload is not Workload.CONTINUOUS:
        return False
    return one.scores(fault.harm.rank)


@cache
def _scored_profiles() -> frozenset[str]:
    return frozenset({"", OWN_DEFAULTS, *map(profile_of, baseline().scenarios)})


def causes(faults: Iterable[Fault], least: Harm = Harm.STOPS) -> list[Cause]:
    """Return the causes of what has this harm or a graver one, the worst first.

    Scored ones come first, those of admin clients after the other roles, what a setting of the service mends after what
    the library does, core faults before others.
    """
    groups: dict[tuple[object, ...], list[Fault]] = {}
    for fault in faults:
        harm = fault.harm
        if harm is not None and harm.rank >= least and fault.finding is not Finding.INFORMATIVE:
            apart = harm.rank, harm.worst.silently, fault.cell.role in UNLEVELLED
            groups.setdefault((is_scored(fault), cause_of(fault), *apart), []).append(fault)
    found = [_cause(mine, text=str(text), scored=bool(scored)) for (scored, text, *_), mine in groups.items()]
    return sorted(found, key=_order)


def cause_of(fault: Fault) -> str:
    """Return why a fault does harm, in words that faults of one cause share."""
    if fault.evidence is None:
        return ""
    if why := fault.evidence.refusal:
        return f"it never sends {request}" if (request := unsent(why)) else "brokers refuse it"
    lost = f"acknowledged records are lost{_by_acks(fault.evidence)}" if is_acknowledged_loss(fault) else ""
    if loses_and_stops(fault):
        return ", and ".join(filter(None, (_why_it_stops(fault.evidence.reason), lost)))
    return lost or _why_it_stops(fault.evidence.reason)


def _why_it_stops(reason: str) -> str:
    """Return the reason of a trial in words that trials of one cause share."""
    if fatal := _FATAL.match(reason):
        why = _ADDRESS.sub("", fatal["why"].removeprefix("client:")).strip(" :")
        if why == STREAM_ENDED:
            return "its process ends, or no longer answers, and says nothing of why"
        return f"it ends: {_shortened(why)}"
    if reason.startswith("a promise was broken: "):
        return _COUNTS.sub("", reason.removeprefix("a promise was broken: ").partition(";")[0])
    return next((words for clause, words in _CLAUSES.items() if clause in reason), _shortened(reason))


def _shortened(text: str) -> str:
    """Return the beginning of a text, to the end of a word."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} ..."


def is_acknowledged_loss(fault: Fault) -> bool:
    """Return whether the harm is that acknowledged records are lost."""
    one = fault.evidence
    return fault.harm is not None and fault.harm.rank is Harm.LOSES and one is not None and one.loses


def loses_and_stops(fault: Fault) -> bool:
    """Return whether acknowledged records are lost, and work stops, too."""
    return is_acknowledged_loss(fault) and fault.evidence is not None and stops_beside_loss(fault.evidence)


def is_mended_by_acks(fault: Fault) -> bool:
    """Return whether acknowledged records are lost since the client writes with acks below all."""
    writes = "" if fault.evidence is None else fault.evidence.writes
    return is_acknowledged_loss(fault) and bool(writes) and not writes.startswith("acks=all")


def _by_acks(answer: SettledCell) -> str:
    return f" ({answer.writes.partition(';')[0]})" if answer.writes else ""


def _cause(faults: Sequence[Fault], *, text: str, scored: bool) -> Cause:
    return Cause(
        harm=max((one.harm for one in faults if one.harm is not None), key=lambda harm: harm.worst),
        text=text,
        faults=tuple(sorted(faults, key=_place)),
        scored=scored,
    )


def _place(fault: Fault) -> tuple[bool, str, int]:
    return fault.cell.scenario not in CORE_FAULTS, fault.cell.scenario, list(Role).index(fault.cell.role)


def _order(one: Cause) -> tuple[bool, bool, bool, bool, int, bool, int, str]:
    scenarios = {fault.cell.scenario for fault in one.faults}
    return (
        not any(fault.is_control for fault in one.faults),
        not one.scored,
        all(fault.cell.role in UNLEVELLED for fault in one.faults),
        all(is_mended_by_acks(fault) and not loses_and_stops(fault) for fault in one.faults),
        -one.harm.rank,
        scenarios.isdisjoint(CORE_FAULTS),
        -len(one.faults),
        one.text,
    )


def _unusual(fault: Fault) -> str:
    profile = named_profile(fault.cell.profile)
    own = f", profile {profile}" if profile not in {"", OWN_DEFAULTS, SHORT_LIMITS} else ""
    return f"{fault.cell.unusual}{own}"
