"""The answer of a client version for an operation, such as a rolling restart, for the site of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from probe.catalogue.baseline import baseline
from probe.catalogue.purposes import Purpose
from probe.catalogue.selectors import Chosen
from probe.cells.answer_context import Remedies
from probe.cells.audit import TOLD, Fault, Finding, Report
from probe.cells.causes import causes
from probe.cells.readiness import readiness
from probe.cli.answers.decision import cause_text
from probe.cli.answers.readiness import alarms, happens, rests_on
from probe.model import CONTROL, Cell
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS, named_profile
from probe.site.known.values import Operation


def operation(purpose: Purpose, asked: Chosen, suffered: Iterable[Fault], ways_out: Remedies, line: str) -> Operation:
    """Return the answer about a client in the scenarios of a purpose, in the roles in which the baseline scores them.

    `suffered` are its findings, those of the library's defaults where these were measured. What was never measured is
    not known.
    """
    mine = [one for one in suffered if _is_asked(one.cell, purpose)]
    every = (*mine, *_missing(purpose, asked, mine, line))
    name = str(asked.client)
    report = Report(name=name, client=name, stands_for="", count=1, faults=every, upgrade=None)
    found = readiness(report)
    grave = causes(report.of(*TOLD))
    shown = alarms(found) if found.harm is not None else ()
    evidence = rests_on(found)
    texts = (*(f"{one.word}: {cause_text(one, ways_out)}" for one in grave), *shown, *([evidence] if evidence else []))
    return Operation(purpose=purpose.name, report=report, may=found.may, happens=happens(report, found), texts=texts)


def _is_asked(cell: Cell, purpose: Purpose) -> bool:
    """Return whether a purpose asks for a cell; of control cells those in its roles and in the usual profiles."""
    scenarios = purpose.scenarios
    if cell.scenario == CONTROL:
        is_usual = named_profile(cell.profile) in {"", OWN_DEFAULTS}
        return is_usual and any(baseline().find(one, cell.role) is not None for one in scenarios)
    return cell.scenario in scenarios and baseline().find(cell.scenario, cell.role) is not None


def _missing(purpose: Purpose, asked: Chosen, known: Sequence[Fault], line: str) -> Iterator[Fault]:
    """Yield what was never measured: scenarios of the purpose in roles that the version plays."""
    measured = {(one.cell.role, one.cell.scenario) for one in known}
    client = asked.client
    for scenario in purpose.scenarios:
        for role in baseline().only_roles[scenario]:
            span = asked.family.roles.get(role)
            if (role, scenario) not in measured and span is not None and span.covers(client.version):
                cell = Cell(client.family, client.version, role, DEFAULT_PROFILE, scenario, DEFAULT_ENGINE, line)
                yield Fault(cell, Finding.UNKNOWN, None)
