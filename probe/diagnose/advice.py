"""Evidence about a client like this: the same cells, the smallest upgrade, and what helps at once (pure)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from probe.cells.aggregate import SettledCell
from probe.cells.upgrades import next_conforming
from probe.diagnose.client_identity import Library
from probe.diagnose.findings import BAD, Finding, Status
from probe.diagnose.objects import Kind
from probe.diagnose.proofs import SHARES
from probe.evidence.cell_choice import Wanted
from probe.model import Cell, Outcome, Reroute, Role, Trigger
from probe.model.grades import worst_trial
from probe.model.group_settings import joins_anew
from probe.model.outcomes import OUTCOMES
from probe.model.profile import DEFAULT_PROFILE
from probe.model.roles import READERS, ROLES
from probe.model.versions import version_key
from probe.scenarios.second_starts import PREFIX as RESTARTED

PLAIN = DEFAULT_PROFILE
"""The profile with no periodic refresh: what a client does because of an error alone."""
SHORT_REFRESH = "refresh-1s"
"""The profile with a short periodic refresh."""
SAME = 3
"""Most cells that are named."""
RESTARTS = (RESTARTED, "incident/jbod-client-restart")
"""Scenarios in which the client is restarted while the fault stands, by the beginning of their names."""
CUTS = ("incident/jbod-broker-restart", "net/reset")
"""Scenarios in which the connection to the old leader ends, by the beginning of their names."""
MEMBERS = "group/"
"""Beginning of the names of scenarios in which members come and go, and no request fails."""


class Answers(Protocol):
    """Evidence that answers for cells."""

    def find(self, wanted: Wanted, *, facts: bool = False) -> Mapping[Cell, SettledCell]:
        """Return the wanted cells."""
        ...

    def later(self, cells: Collection[Cell]) -> Mapping[Cell, SettledCell]:
        """Return the same cells of later versions."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One thing that an operator can do."""

    action: str
    helps: bool
    shown_by: SettledCell
    """The cell that shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Evidence about a client with a trouble."""

    same: tuple[SettledCell, ...] = ()
    """Cells of the same library in which the same happens, the nearest first."""
    alike: tuple[str, ...] = ()
    """Versions that do the same, ascending."""
    upgrade: str = ""
    """The smallest later version that is known to pass in `passes_in`; empty = none is known."""
    passes_in: tuple[str, ...] = ()
    """Scenarios in which the same happens and that version passes."""
    measures: tuple[Measure, ...] = ()
    unknown: str = ""
    """Why there is none; empty = there is."""


def _speaking(finding: Finding, role: Role) -> tuple[Role, ...]:
    """Return the roles whose cells speak of what a client in this role does on the wire.

    A reader of partitions may be a member of a group or not. A share consumer fetches by an API of its own, which its
    errors name.
    """
    info = ROLES[role]
    if not info.reads or info.member:
        return (role,)
    shares = any(error.api in SHARES for error in finding.errors)
    return tuple(one for one in READERS if ROLES[one].shares is shares)


def advise(finding: Finding, library: Library, answers: Answers) -> Advice:
    """Return what is known of such a client; `unknown` says why if nothing is."""
    if finding.status not in BAD or finding.role is None:
        return Advice(unknown="nothing is to be mended")
    if not library.family:
        return Advice(unknown="the library is not known, so no cell can speak of it")
    wanted = Wanted(
        family=[library.family],
        version=list(library.versions) or None,
        role=[str(role) for role in _speaking(finding, finding.role)],
    )
    every = list(answers.find(wanted, facts=True).values())
    known = _of_its_protocol(finding, every)
    if not (same := _same(finding, known)):
        same, known = _same(finding, every), every
    if not same:
        return Advice(unknown=f"no cell of {library.family} shows the same")
    alike = sorted({item.cell.version for item in same}, key=version_key)
    newest = [item for item in same if item.cell.version == alike[-1]]
    passing = next_conforming(newest, answers.later([item.cell for item in newest]).values())
    return Advice(
        same=tuple(same[:SAME]),
        alike=tuple(alike),
        upgrade=max(passing.values(), key=version_key, default=""),
        passes_in=tuple(sorted({cell.scenario for cell in passing})),
        measures=tuple(_measures(newest, known, fenced=_is_fenced(finding))),
    )


def _of_its_protocol(finding: Finding, cells: Sequence[SettledCell]) -> Sequence[SettledCell]:
    """Return the cells whose members join by the same protocol as this one. Partitions do not show by which."""
    if finding.item.kind is not Kind.GROUP:
        return cells
    return [item for item in cells if joins_anew(item.cell) == (finding.member is not None)]


def _same(finding: Finding, cells: Iterable[SettledCell]) -> list[SettledCell]:
    """Return the cells with the same outcome by the same error, or without one by a lost connection."""
    code = finding.errors[0].code if finding.errors else 0
    found = [item for item in cells if _is_same(finding, item, code)]
    found.sort(key=lambda item: version_key(item.cell.version), reverse=True)
    found.sort(key=lambda item: (item.cell.profile != PLAIN, not item.is_current))
    return [item for item in found if item.cell.profile == found[0].cell.profile]


def _is_same(finding: Finding, item: SettledCell, code: int) -> bool:
    worst = worst_trial(item.verdicts)
    wanted = Outcome.STORMS if finding.status is Status.STORMS else Outcome.STUCK
    if worst.outcome is not wanted:
        return False
    if not (finding.errors or finding.cuts or finding.silent):
        return item.cell.scenario.startswith(MEMBERS)
    codes = worst.facts.fault_codes
    return code in codes if code else not codes


def _is_fenced(finding: Finding) -> bool:
    """Return whether its coordinator takes it for no member any more, which no other connection mends."""
    fence = None if finding.member is None else finding.member.fence
    return fence is not None and fence.back_at is None


def _measures(same: Sequence[SettledCell], known: Iterable[SettledCell], *, fenced: bool) -> Iterable[Measure]:
    """Yield what helps and what does not, by cells of the same versions."""
    every = list(known)
    versions = {item.cell.version for item in same}
    scenarios = {item.cell.scenario for item in same}
    mine = [item for item in every if item.cell.version in versions]
    chosen = {
        "restart the client": [
            item
            for item in mine
            if item.cell.scenario in RESTARTS or item.cell.scenario in {f"{RESTARTED}{name}" for name in scenarios}
        ],
        "end its connection to the old leader (a restart of that broker does)": [
            item for item in mine if not fenced and item.cell.scenario in CUTS and _by_connection(item)
        ],
        "a shorter metadata refresh": [
            item for item in mine if item.cell.scenario in scenarios and item.cell.profile == SHORT_REFRESH
        ],
    }
    for action, cells in chosen.items():
        judged = [item for item in cells if item.judged]
        if judged:
            worst = max(judged, key=lambda item: OUTCOMES[item.worst].severity)
            yield Measure(action=action, helps=not OUTCOMES[worst.worst].hard, shown_by=worst)


def _by_connection(item: SettledCell) -> bool:
    """Return whether a lost connection led the client on, or nothing did."""
    facts = worst_trial(item.verdicts).facts
    return facts.recovered is False or facts.refresh_trigger is Trigger.DISCONNECT or facts.reroute is Reroute.CONNECT
