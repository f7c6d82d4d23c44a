"""The table of `probe audit`: a row per client, with the gravest that is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from probe.catalogue.apps import App
from probe.cells.audit import BAD, TOLD, Fault, Finding, Report
from probe.cells.causes import Cause, causes, placed
from probe.cli.console.plain_table import lines_of
from probe.model.counts import counted
from probe.model.versions import version_key
from probe.reports.audit.question import Question
from probe.reports.audit.recommendations import installed_as
from probe.reports.audit.result import AuditResult

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


def table_lines(audit: AuditResult, columns: int, *, everything: bool) -> list[str]:
    """Return the lines: each cause that stops or loses work, or the worst and how many findings there are beside."""
    rows = [_row(report, audit, everything=everything) for report in audit.reports]
    colours = [COLOURS.get(report.finding, "") for report in audit.reports]
    return lines_of(HEADER, rows, colours, HEADER.index("harm"), HEADER.index("at"), columns)


def heights_of(lines: Sequence[str]) -> list[int]:
    """Return how many lines each row of a table takes: only the first one of a row begins with a name."""
    found: list[int] = []
    for line in lines[2:]:
        if line[:1].strip() or not found:
            found.append(0)
        found[-1] += 1
    return found


def _row(report: Report, audit: AuditResult, *, everything: bool) -> list[str]:
    return [
        report.name,
        str(report.count),
        report.client,
        report.stands_for if report.stands_for != report.client else "",
        harm_word(report, audit.question),
        "\n".join(_places(report)) if everything else _worst_place(report),
        str(len(report.of(Finding.UNKNOWN)) or ""),
        _upgrade(report, audit.apps),
    ]


def harm_word(report: Report, question: Question) -> str:
    """Return the gravest harm in one word, or the finding of a service of which none is known."""
    if report.is_broken:
        return str(report.finding)
    harm = report.harm
    if harm is None and (guessed := causes(report.of(*TOLD))):
        return word_of(guessed[0])
    if grave := causes(report.of(*SEEN)):
        return grave[0].word
    return harm.rank.word if harm is not None and harm.rank else question.worded(report.finding)


def word_of(one: Cause) -> str:
    """Return the harm of a cause, with what it rests on where that is no measurement of the client itself."""
    is_measured = any(fault.is_proven for fault in one.faults)
    return one.word if is_measured else f"{one.word} ({one.faults[0].finding})"


def _places(report: Report) -> Iterator[str]:
    """Yield what stops or loses work, a line per cause, and how much does less harm."""
    told = report.of(*TOLD)
    grave = causes(told)
    yield from (f"{word_of(one)}: {one.where}" for one in grave)
    left = len(told) - sum(len(one.faults) for one in grave)
    if left:
        yield f"{left} with less harm" if grave else counted(left, "finding")


def _worst_place(report: Report) -> str:
    """Return the first scenario of the worst cause, and how many findings there are beside it."""
    told = report.of(*TOLD)
    grave = causes(told)
    if not grave:
        return counted(len(told), "finding") if told else ""
    left = len(told) - len(grave[0].faults)
    more = f"; {counted(left, 'other')}" if left else ""
    return f"{placed(grave[0].faults, 1)}{more}"


def _upgrade(report: Report, apps: Mapping[str, App]) -> str:
    """Return the smallest upgrade, or the one that mends most of what stops or loses work, else of what else is bad."""
    if report.upgrade:
        own = report.upgrade
        return own.application or _installed(report, apps, own.family or _name(report), own.version)
    bad = [fault for fault in report.of(*BAD) if fault.evidence is not None]
    found = causes(bad)
    decisive = [one for one in found if one.scored and any(fault.is_proven for fault in one.faults)]
    grave = [fault for one in decisive or found for fault in one.faults]
    mends = Counter(_later(fault, fault.target.version if fault.target else "") for fault in grave)
    mends = mends or Counter(_later(fault, fault.passes_in) for fault in bad)
    del mends["", ""]
    family, in_part = max(mends, key=lambda one: (mends[one], version_key(one[1])), default=("", ""))
    return f"{_installed(report, apps, family, in_part)} in part" if in_part else "none is known" if bad else ""


def _later(fault: Fault, version: str) -> tuple[str, str]:
    """Return a later version with its family; empty if there is none."""
    return (fault.evidence.cell.family, version) if fault.evidence is not None and version else ("", "")


def _name(report: Report) -> str:
    return report.client.partition("@")[0]


def _installed(report: Report, apps: Mapping[str, App], family: str, version: str) -> str:
    """Return a version as the owner of a service installs it; that of a library inside names the library."""
    words = installed_as(report, apps, family, version)
    return f"{family} {version}" if words == version and family != _name(report) else words
