"""Faults and services in words, for every format of an audit. Pure."""

from __future__ import annotations

from probe.cells.audit import Fault, Report
from probe.cells.audit_groups import Group
from probe.cells.fault_words import doubt, in_harm, remarks, shown
from probe.model import Cell
from probe.model.profile import named_profile
from probe.model.refusals import unsent


def fault_line(fault: Fault) -> str:
    """Return a fault in words: role, scenario, the profile if it is not the usual one, outcome, what it leaves out."""
    more = "".join(f"; {text}" for text in remarks(fault.evidence)) if fault.evidence is not None else ""
    return f"{_outcome_line(fault)}{more}"


def line_of(group: Group) -> str:
    """Return the faults of a group in words."""
    return f"{fault_line(group.first)}{group.also}"


def _outcome_line(fault: Fault) -> str:
    seen = fault.evidence
    outcome = shown(fault) if seen is None or not seen.refusal else _refusal(seen.refusal, seen.cell.broker)
    return f"{asked_in(fault.cell)}: {in_harm(fault)}{outcome}{doubt(fault)}"


def _refusal(why: str, line: str) -> str:
    request = unsent(why)
    return f"{request} is never sent to Kafka {line}" if request else f"refused by Kafka {line}"


def asked_in(cell: Cell) -> str:
    """Return role, scenario, workload and profile as far as these are not the usual ones."""
    profile = named_profile(cell.profile)
    return f"{cell.role} {cell.scenario}{cell.unusual}{f', profile {profile}' if profile else ''}"


def driven_as(report: Report) -> str:
    """Return the client of a service, and the library that is driven in its place."""
    same = not report.stands_for or report.stands_for == report.client
    return report.client if same else f"{report.client}, driven as {report.stands_for}"
