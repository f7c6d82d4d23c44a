"""`probe audit --for PURPOSE` for people: of each service whether an operator may, and what will happen meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import typer

from probe.cells.audit import TOLD, Fault, Finding, Report
from probe.cells.audit_upgrades import ways_of
from probe.cells.causes import Cause, causes, placed
from probe.cells.readiness import May, Readiness, readiness
from probe.cli.answers.audit import recommendations
from probe.cli.answers.decision import NAMED, TO_DO, cause_text
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.model import Profile
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.safe_text import visible
from probe.reports.audit.lines import driven_as
from probe.reports.audit.result import AuditResult

AT = 2 + max(map(len, May)) + 2
"""Column at which texts begin, behind the answer."""
COLOURS = {May.NO: "red", May.UNKNOWN: "magenta", May.YES: "green"}
_COUNTED = (May.NO, May.YES, May.UNKNOWN)
_PROFILES = {DEFAULT_PROFILE: " (whether it reacts)", OWN_DEFAULTS: " (what it suffers)"}
"""Meaning of the trials of a profile, in words."""
SHORTEST_MS = 50
"""Standstill that is named, in milliseconds: less is 0.0 s."""


def print_readiness(audit: AuditResult) -> None:
    """Print what was asked, then each service, the one that needs attention first, and how many there are."""
    if not audit.reports:
        return
    columns = terminal_columns()
    for text in (str(audit.question), "services, the one to look after first on top"):
        for line in wrapped(text, columns, 4):
            typer.echo(line)
    answers = [(report, readiness(report)) for report in audit.reports]
    for report, found in answers:
        _print_service(report, found, audit, columns)
    counts = Counter(found.may for _, found in answers)
    typer.echo(
        ", ".join(f"{counts[may]} {may}" for may in _COUNTED if counts[may]) + _leaning(found for _, found in answers)
    )


def _leaning(answers: Iterable[Readiness]) -> str:
    """Return how many of those that are not known do no harm as far as anything tells."""
    fine = {Finding.LIKELY_FINE, Finding.SUSPECTED_FINE}
    open_ones = [one for one in answers if one.may is May.UNKNOWN and one.unproven]
    count = sum(fine.issuperset(one.unproven) and not (one.harm and one.harm.rank) for one in open_ones)
    return f" ({count} of these likely or suspected fine)" if count else ""


def _print_service(report: Report, found: Readiness, audit: AuditResult, columns: int) -> None:
    first, *others = _texts(report, found, audit)
    head = wrapped(f"{'':<{AT}}{visible(first)}", columns, AT)
    typer.echo(f"  {typer.style(found.may, fg=COLOURS[found.may], bold=True)}{head[0][2 + len(found.may) :]}")
    for line in head[1:]:
        typer.echo(line)
    for text in others:
        for line in wrapped(f"{'':<{AT}}{visible(text)}", columns, AT + 2):
            typer.echo(line)


def _texts(report: Report, found: Readiness, audit: AuditResult) -> Iterator[str]:
    """Yield the service with what happens to it, then what will alarm, what to do before, and the evidence."""
    yield f"{report.name}{_client(report)}{_instances(report)}: {happens(report, found)}"
    yield from filter(None, (report.note, report.problem))
    grave, ways = causes(report.of(*TOLD)), ways_of(report.of(*TOLD))
    for one in grave:
        yield f"{one.word}: {cause_text(one, ways)}{_doubt(one)}; {audit.command(one.faults[0])}"
    if found.harm is not None:
        yield from alarms(found)
    if _needs_care(report, found, grave):
        yield from (f"before: {text.removeprefix(TO_DO)}" for text in recommendations(report, grave, audit))
    if evidence := rests_on(found):
        yield evidence


def _needs_care(report: Report, found: Readiness, grave: Iterable[Cause]) -> bool:
    """Return whether something is to be done before: work stands still, or an upgrade mends what burdens brokers."""
    harms = [*(one.harm for one in grave), *([found.harm] if found.harm is not None else [])]
    worst = max((one.rank for one in harms), default=Harm.NONE)
    return worst >= (Harm.BURDENS if report.upgrade else Harm.STALLS)


def _client(report: Report) -> str:
    driven = driven_as(report)
    if driven == report.name:
        return ""
    return f", {driven.removeprefix(f'{report.name}, ')}"


def _instances(report: Report) -> str:
    return f" ({report.count} instances)" if report.count > 1 else ""


def happens(report: Report, found: Readiness) -> str:
    """Return the harm, how long work stands still, and what is concerned, in words."""
    if report.is_broken:
        return "it cannot work at all"
    if found.harm is None:
        return _unproven(found) or "nothing is known of it"
    harm = f"{found.harm.rank.word}{' silently' if found.harm.worst.silently else ''}" if found.harm.rank else "no harm"
    scope = (
        (", partitions without a fault, too" if found.everything else ", affected partitions only")
        if found.harm.rank
        else ""
    )
    after = " where it goes on" if found.harm.rank >= Harm.STOPS else ""
    stands = f", stands still for up to {found.stood_ms / 1000:.1f} s{after}" if found.stood_ms >= SHORTEST_MS else ""
    return f"{harm}{stands}{scope}"


def alarms(found: Readiness) -> Iterator[str]:
    """Yield what monitoring will show, and what it will not."""
    if found.silent:
        yield f"no alarm: it stops or loses work, and no error says so, in {placed(found.silent, NAMED)}"
    shown = (("errors of the application", found.errors), ("a stall", found.stalls))
    if parts := [f"{words} in {placed(faults, NAMED)}" for words, faults in shown if faults]:
        yield f"will alarm: {'; '.join(parts)}"
    elif not found.silent:
        yield "will alarm: nothing: no error reached the application, no stall"


def rests_on(found: Readiness) -> str:
    """Return which profiles were measured, and what was not."""
    parts = [f"{count} of profile {name}{_PROFILES.get(name, '')}" for name, count in sorted(found.profiles.items())]
    measured = f"measured: {counted(sum(found.profiles.values()), 'cell')}, {', '.join(parts)}" if parts else ""
    return "; ".join(filter(None, (measured, _unproven(found)))) if measured else ""


def _unproven(found: Readiness) -> str:
    """Return what was not measured of the client itself, by what is likely of it."""
    open_ones = ", ".join(_open(finding, faults) for finding, faults in found.unproven.items())
    return f"not measured of it: {open_ones}" if open_ones else ""


def _open(finding: Finding, faults: Sequence[Fault]) -> str:
    where = f" ({placed(faults, NAMED)})" if finding not in {Finding.SUSPECTED_FINE, Finding.LIKELY_FINE} else ""
    return f"{len(faults)} {finding}{where}"


def _doubt(one: Cause) -> str:
    """Return that only trials without periodic refreshes show a standstill; empty if others do, or for a loss."""
    seen = [Profile.parse(fault.evidence.cell.profile).name for fault in one.faults if fault.evidence is not None]
    is_reaction = one.harm.rank is Harm.STOPS and set(seen) == {DEFAULT_PROFILE}
    return f" (profile {DEFAULT_PROFILE}; a periodic refresh may rescue it)" if is_reaction else ""
