"""`probe audit` for people: a table with its evidence. Plain, since rich takes longer to load than an audit runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import typer

from probe.cells.answer_context import Asking
from probe.cells.audit import BAD, TOLD, Fault, Finding, Report
from probe.cells.audit_groups import grouped
from probe.cells.audit_upgrades import ways_of
from probe.cells.causes import Cause, causes, is_mended_by_acks
from probe.cells.citations import rests_on
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import reason, unknown_reason
from probe.cells.levels import RoleLevel
from probe.cells.role_levels import levels_of
from probe.cli.answers.decision import LESSER, cause_text, lesser, note_of, to_do
from probe.cli.answers.short_answer import BEGINNING, in_short
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.cli.console.plain_table import lines_of
from probe.model import Profile
from probe.model.counts import counted
from probe.model.profile import DEFAULT_PROFILE
from probe.model.safe_text import visible
from probe.model.versions import version_key
from probe.reports.audit.lines import fault_line, line_of
from probe.reports.audit.question import Question
from probe.reports.audit.recommendations import (
    bisect_command,
    changes_of_library,
    helps,
    installed_as,
    way_out,
)
from probe.reports.audit.result import AuditResult
from probe.reports.audit.services import distinct

COLOURS = {
    Finding.FAILS: "red",
    Finding.LIKELY_STOPS: "yellow",
    Finding.LIKELY_FAILS: "yellow",
    Finding.SUSPECTED: "yellow",
    Finding.LOSES: "yellow",
    Finding.UNKNOWN: "magenta",
    Finding.ACCEPTED: "cyan",
    Finding.SUSPECTED_FINE: "green",
    Finding.LIKELY_FINE: "green",
    Finding.PASSES: "green",
}
SEEN = (Finding.FAILS, Finding.LOSES)
"""Findings by measurements of the client itself."""
HEADER = ("service", "instances", "client", "driven as", "harm", "at", "not known", "smallest upgrade")
INDENT = 4
"""Columns by which the later lines of a text are indented on a terminal."""


def print_audit(audit: AuditResult) -> None:
    """Print what was asked, the table, then what is known of each service with evidence and the way out."""
    if not audit.reports:
        return
    columns = terminal_columns()
    notes = [str(audit.question), *([_note(audit)] if is_isolated(audit) else [])]
    for line in (*(line for text in notes for line in wrapped(text, columns, INDENT)), "services, worst first"):
        typer.echo(line)
    rows = [_row(report, audit.question) for report in audit.reports]
    colours = [COLOURS.get(report.finding, "") for report in audit.reports]
    for line in lines_of(HEADER, rows, colours, HEADER.index("harm"), HEADER.index("at"), columns):
        typer.echo(line)
    for report, name in zip(audit.reports, distinct(audit.reports), strict=True):
        for text in _evidence(report, audit):
            for line in wrapped(visible(f"{name}: {text}"), columns, INDENT):
                typer.echo(line)
    counts = Counter(_harm(report, audit.question) for report in audit.reports)
    clients = f"{len(audit.reports)} clients: " if len(audit.reports) > 1 else ""
    typer.echo(f"{clients}{', '.join(f'{count} {word}' for word, count in counts.items())}")


def _note(audit: AuditResult) -> str:
    return note_of([fault for one in audit.reports for fault in one.faults])


def is_isolated(audit: AuditResult) -> bool:
    """Return whether an answer is of trials without periodic refreshes."""
    profiles = {fault.evidence.cell.profile for one in audit.reports for fault in one.faults if fault.evidence}
    return any(Profile.parse(text).name == DEFAULT_PROFILE for text in profiles)


def _row(report: Report, question: Question) -> list[str]:
    return [
        report.name,
        str(report.count),
        report.client,
        report.stands_for if report.stands_for != report.client else "",
        _harm(report, question),
        "\n".join(_places(report)),
        str(len(report.of(Finding.UNKNOWN)) or ""),
        _upgrade(report),
    ]


def _harm(report: Report, question: Question) -> str:
    """Return the gravest harm in one word, or the finding of a service of which none is known."""
    if report.is_broken:
        return str(report.finding)
    harm = report.harm
    if harm is None and (guessed := causes(report.of(*TOLD))):
        return _word(guessed[0])
    if grave := causes(report.of(*SEEN)):
        return grave[0].word
    return harm.rank.word if harm is not None and harm.rank else question.worded(report.finding)


def _word(one: Cause) -> str:
    """Return the harm of a cause, with what it rests on where that is no measurement of the client itself."""
    is_measured = any(fault.is_proven for fault in one.faults)
    return one.word if is_measured else f"{one.word} ({one.faults[0].finding})"


def _places(report: Report) -> Iterator[str]:
    """Yield what stops or loses work, a line per cause, and how much does less harm."""
    told = report.of(*TOLD)
    grave = causes(told)
    yield from (f"{_word(one)}: {one.where}" for one in grave)
    left = len(told) - sum(len(one.faults) for one in grave)
    if left:
        yield f"{left} with less harm" if grave else counted(left, "finding")


def _upgrade(report: Report) -> str:
    if report.upgrade:
        return report.upgrade.application or report.upgrade.version
    bad = report.of(*BAD)
    found = causes(bad)
    decisive = [one for one in found if one.scored and any(fault.is_proven for fault in one.faults)]
    grave = [fault.mended_in for one in decisive or found for fault in one.faults]
    known = grave or [fault.passes_in for fault in bad]
    in_part = max((name for name in known if name), key=version_key, default="")
    return f"{in_part} in part" if in_part else "none is known" if bad else ""


def _evidence(report: Report, audit: AuditResult) -> Iterator[str]:
    if report.note:
        yield f"{report.client}: {report.note}"
    if report.problem:
        yield f"{report.client}: {report.problem}"
    told = report.of(*TOLD)
    grave, ways, levels = causes(told), ways_of(told), _levels(report, audit.question)
    if audit.question.is_baseline and (short := in_short(report.counted, levels, ways, _asking(report, audit))):
        yield f"{BEGINNING}{short}"
    for one in grave:
        yield f"{one.word}: {cause_text(one, ways)}. {proof(one.faults[0], audit)}"
    for harm in LESSER:
        if text := lesser(told, harm):
            yield f"{harm.word}: {text}"
    yield from recommendations(report, grave, audit)
    if levels:
        yield ", ".join(f"{one.role} {one.words}" for one in levels)
    if unknown := report.of(Finding.UNKNOWN):
        why = unknown_reason(next((fault for fault in unknown if fault.evidence), unknown[0]))
        to_run = f"; {run_command([fault.cell for fault in unknown], audit.results)}" if audit.can_run else ""
        yield f"not known ({why}){to_run}"
    for each in grouped(report.ignored):
        fault = each.first
        yield f"accepted: {fault.finding}: {line_of(each)}; {fault.ignored}"


def proof(fault: Fault, audit: AuditResult) -> str:
    """Return the outcome of a fault with its reason, its evidence and the command that shows it."""
    sources = rests_on(fault.evidence) if fault.evidence else ()
    return "; ".join([f"{fault_line(fault)}: {reason(fault)}", *sources, audit.command(fault)])


def recommendations(report: Report, grave: Sequence[Cause], audit: AuditResult) -> Iterator[str]:
    """Yield what to do: the smallest upgrade that passes all, or what mends what stops or loses work."""
    bad = report.of(*BAD)
    if way := way_out(report, audit.apps):
        yield f"smallest upgrade: {way}"
        return
    asking = _asking(report, audit)
    otherwise = f"; {asking.otherwise}" if asking.otherwise else ""
    yield from to_do(
        grave,
        ways_of(bad),
        asking.named,
        lambda fault: f"{otherwise}{f'; {bisect_command(fault)}' if audit.can_run else ''}",
    )
    if bad and not grave:
        yield f"no upgrade is known to pass all{f'; {bisect_command(bad[0])}' if audit.can_run else ''}"
        yield from helps(bad)
    if report.of(Finding.LOSES) and not any(map(is_mended_by_acks, report.of(Finding.LOSES))):
        yield f"what loses no record: {audit.advice(report, report.of(Finding.LOSES)[0])}"


def _asking(report: Report, audit: AuditResult) -> Asking:
    return Asking(
        otherwise=changes_of_library(report, audit.apps),
        named=lambda cell, version: installed_as(report, audit.apps, cell.family, version),
    )


def _levels(report: Report, question: Question) -> list[RoleLevel]:
    """Return in how many scored scenarios each role reacts, or its level; empty where the baseline was not asked."""
    if not question.is_baseline:
        return []
    asked = {(fault.cell.role, fault.cell.scenario) for fault in report.faults}
    return levels_of(report.faults, {}, question.broker, lambda role, one: (role, one.scenario) in asked)
