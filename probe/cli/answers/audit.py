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
from probe.cells.fault_words import reason, shown, unknown_reason
from probe.cli.answers.audit_screen import Rank, Text, service_lines
from probe.cli.answers.audit_table import harm_word, heights_of, table_lines
from probe.cli.answers.decision import LESSER, MORE, cause_text, lesser, note_of, to_do
from probe.cli.answers.finding_groups import rests_on_all
from probe.cli.answers.short_answer import BEGINNING, in_short
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.model import Profile
from probe.model.counts import counted
from probe.model.profile import DEFAULT_PROFILE
from probe.model.safe_text import visible
from probe.reports.audit.lines import fault_line, line_of
from probe.reports.audit.recommendations import (
    bisect_command,
    helps,
    installed_as,
    way_out,
)
from probe.reports.audit.result import AuditResult
from probe.reports.audit.services import by_service, distinct

INDENT = 4
"""Columns by which the later lines of a text are indented on a terminal."""


def print_audit(audit: AuditResult, *, everything: bool = True) -> None:
    """Print what was asked, the table, then what is known of each service, and the way out.

    Each service has at most `MOST_LINES` lines, unless `everything` is asked for, with the evidence of each cause.
    """
    if not audit.reports:
        return
    columns = terminal_columns()
    notes = [str(audit.question), *([_note(audit)] if is_isolated(audit) else [])]
    for line in (*(line for text in notes for line in wrapped(text, columns, INDENT)), "services, worst first"):
        typer.echo(line)
    table = table_lines(audit, columns, everything=everything)
    for line in (*table, *(_every_line(audit, columns) if everything else _screens(audit, columns, heights_of(table)))):
        typer.echo(line)
    if not everything:
        for line in wrapped(MORE, columns, INDENT):
            typer.echo(line)
    counts = Counter(harm_word(report, audit.question) for report in audit.reports)
    clients = f"{len(audit.reports)} clients: " if len(audit.reports) > 1 else ""
    typer.echo(f"{clients}{', '.join(f'{count} {word}' for word, count in counts.items())}")


def _every_line(audit: AuditResult, columns: int) -> Iterator[str]:
    for report, name in zip(audit.reports, distinct(audit.reports), strict=True):
        for text in _evidence(report, audit):
            yield from wrapped(visible(f"{name}: {text}"), columns, INDENT)


def _screens(audit: AuditResult, columns: int, heights: Sequence[int]) -> Iterator[str]:
    """Yield the lines of each service; `heights` are the lines of each client in the table."""
    rows = {id(one): height for one, height in zip(audit.reports, heights, strict=True)}
    names = {id(one): name for one, name in zip(audit.reports, distinct(audit.reports), strict=True)}
    for service in by_service(audit.reports):
        texts = [_summary(one, audit) for one in service]
        clients = [(names[id(one)], mine) for one, mine in zip(service, texts, strict=True)]
        yield from service_lines(clients, columns, sum(rows[id(one)] for one in service))


def _note(audit: AuditResult) -> str:
    return note_of([fault for one in audit.reports for fault in one.faults])


def is_isolated(audit: AuditResult) -> bool:
    """Return whether an answer is of trials without periodic refreshes."""
    profiles = {fault.evidence.cell.profile for one in audit.reports for fault in one.faults if fault.evidence}
    return any(Profile.parse(text).name == DEFAULT_PROFILE for text in profiles)


def _summary(report: Report, audit: AuditResult) -> Iterator[Text]:
    """Yield what is known of a client, without the evidence of each cause."""
    told = [*report.of(*TOLD), *report.suspicions]
    grave, ways = causes(told), ways_of(told)
    levels = report.levels if audit.question.is_baseline else ()
    yield from (Text(Rank.NOTE, f"{report.client}: {text}") for text in (report.note, report.problem) if text)
    if short := in_short([*report.counted, *report.suspicions], levels, ways, _asking(report, audit)):
        yield Text(Rank.ANSWER, f"{BEGINNING}{short}")
    yield from (Text(Rank.GRAVE, f"{one.word}: {cause_text(one, ways)}{_trials(one)}") for one in grave)
    lesser_ones = ((harm, lesser(told, harm)) for harm in LESSER)
    yield from (Text(Rank.LESSER, f"{harm.word}: {text}") for harm, text in lesser_ones if text)
    yield from (Text(Rank.TO_DO, text) for text in recommendations(report, grave, audit))
    if levels:
        yield Text(Rank.ROLES, ", ".join(f"{one.role} {one.words}" for one in levels))
    if unknown := report.of(Finding.UNKNOWN):
        yield Text(Rank.OPEN, f"not known: {counted(len(unknown), 'cell')}; --all says why, and how to measure them")
    if sources := rests_on_all(report.counted):
        yield Text(Rank.SOURCES, f"rests on {sources}")
    accepted = grouped(report.ignored)
    yield from (Text(Rank.ACCEPTED, f"accepted: {line_of(each)}; {each.first.ignored}") for each in accepted)


def _trials(one: Cause) -> str:
    """Return the outcome of a cause's first fault with the trials behind it; empty for a guess, which says its own.

    Of a client that brokers refuse it is the request.
    """
    first = one.faults[0]
    if first.evidence is not None and first.evidence.refusal:
        return f" ({fault_line(first)}: {reason(first)})"
    return f" ({shown(first)})" if first.is_proven else ""


def _evidence(report: Report, audit: AuditResult) -> Iterator[str]:
    yield from (f"{report.client}: {text}" for text in (report.note, report.problem) if text)
    told = [*report.of(*TOLD), *report.suspicions]
    grave, ways = causes(told), ways_of(told)
    levels = report.levels if audit.question.is_baseline else ()
    if audit.question.is_baseline and (
        short := in_short([*report.counted, *report.suspicions], levels, ways, _asking(report, audit))
    ):
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
    yield from to_do(
        grave,
        ways_of(bad),
        asking.named,
        lambda fault: f"{asking.search()}{f'; {bisect_command(fault)}' if audit.can_run else ''}",
    )
    if bad and not grave:
        yield f"no upgrade is known to pass all{f'; {bisect_command(bad[0])}' if audit.can_run else ''}"
        yield from helps(bad)
    if report.of(Finding.LOSES) and not any(map(is_mended_by_acks, report.of(Finding.LOSES))):
        yield f"what loses no record: {audit.advice(report, report.of(Finding.LOSES)[0])}"


def _asking(report: Report, audit: AuditResult) -> Asking:
    return Asking(
        otherwise=report.otherwise,
        measured=report.measured,
        named=lambda cell, version: installed_as(report, audit.apps, cell.family, version),
    )
