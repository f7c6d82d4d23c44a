"""Write a run as Markdown for the step summary of a pipeline: what ran, what does not conform, what changed. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from probe.model import Cell, Workload
from probe.model.counts import counted
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE
from probe.model.safe_text import visible
from probe.reports.gates import Gate, Result, stopped
from probe.reports.run_report import Report

MAX_ROWS = 200
"""Greatest number of rows of a table; a step summary holds at most one megabyte."""
PLAIN = (DEFAULT_PROFILE, DEFAULT_ENGINE.value, Workload.CONTINUOUS.value)
SPECIAL = re.compile(r"([\\`*_\[\]<>|#~&])")


def summary(report: Report, gate: Gate | None = None) -> str:
    """Return a run as Markdown."""
    parts = [_head(report, gate), _failing(report), _changes(report), _unknown(report)]
    return "\n".join(part for part in parts if part)


def _head(report: Report, gate: Gate | None) -> str:
    cells = report.cells
    what = [
        counted(len({cell.client for cell in cells}), "client version"),
        counted(len({cell.scenario for cell in cells}), "scenario"),
        counted(len(cells), "cell"),
        counted(sum(len(one.verdicts) for one in cells.values()), "trial"),
    ]
    engines = sorted({f"{cell.engine} {cell.broker}" for cell in cells})
    counts = Counter(str(one.outcome) for one in cells.values())
    lines = [
        f"## Kafka metadata probe, run {text(report.run_id)}",
        "",
        f"{', '.join(what)} on {text(', '.join(engines)) or 'no engine'}{_took(report)}.",
        "",
        *table(("does not conform", "conforms or informative", "broken", "not about the client"), [_verdicts(report)]),
        "",
        f"Outcomes: {text(', '.join(f'{count} {name}' for name, count in counts.most_common())) or 'none'}.",
    ]
    if report.left:
        lines += ["", f"**{counted(report.left, 'cell')} did not run: the time was up, or the run was ended.**"]
    if gate:
        failed = stopped(gate, cells, report.before)
        state = f"fails at {counted(len(failed), 'cell')}" if failed else "holds"
        lines += ["", f"**Gate `--fail-on {str(gate).replace(', ', ',')}` {state}.**"]
    return "\n".join([*lines, ""])


def _took(report: Report) -> str:
    """Return the duration of the run as text; empty for a run that was ended."""
    return f", {report.seconds:.0f} s" if report.seconds else ""


def _verdicts(report: Report) -> list[str]:
    order = (Result.FAILED, Result.PASSED, Result.ERROR, Result.SKIPPED)
    return [str(len(report.of(kind))) for kind in order]


def _failing(report: Report) -> str:
    found = report.of(Result.FAILED)
    if not found:
        return "### Every judged cell conforms\n" if report.of(Result.PASSED) else ""
    rows = [[*_cell(one.cell), text(one.tally), text(one.reason)] for one in found]
    head = ("client", "scenario", "role", "outcome", "why")
    commands = [report.evidence(one) for one in found[:MAX_ROWS]]
    return "\n".join(
        [
            "### Does not conform",
            "",
            *table(head, rows),
            "",
            "<details><summary>The commands that show the evidence</summary>",
            "",
            *code(commands),
            "",
            "</details>",
            "",
        ]
    )


def _changes(report: Report) -> str:
    if not report.before:
        return ""
    found, apart = report.changes(), report.not_comparable()
    note = f"Not compared, since measured under other conditions before: {counted(apart, 'cell')}." if apart else ""
    if not found:
        if apart == len(report.before):
            return f"### No earlier result is comparable\n\n{note}\n"
        return "\n".join(["### Nothing changed compared with the earlier matrix", *(["", note] if note else []), ""])
    rows = [
        [one.said, *_cell(one.step.after.cell), text(f"{one.step.before.tally} → {one.step.after.tally}")]
        for one in found
    ]
    head = ("", "client", "scenario", "role", "before → now")
    more = ["", note] if note else []
    return "\n".join(["### Changes compared with the earlier matrix", "", *table(head, rows), *more, ""])


def _unknown(report: Report) -> str:
    found = [*report.of(Result.ERROR), *report.of(Result.SKIPPED)]
    if not found:
        return ""
    reasons = Counter((str(one.outcome), one.reason) for one in found)
    rows = [[str(count), text(outcome), text(reason)] for (outcome, reason), count in reasons.most_common()]
    return "\n".join(["### No outcome about the client", "", *table(("cells", "outcome", "why"), rows), ""])


def _cell(cell: Cell) -> list[str]:
    """Return the columns that name a cell; the default profile, engine and workload are left out."""
    more = [part for part in (cell.profile, str(cell.engine), str(cell.workload)) if part not in PLAIN]
    return [text(str(cell.client)), text(cell.scenario), text(" ".join([str(cell.role), *more, f"({cell.broker})"]))]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Yield the lines of a table with at most `MAX_ROWS` rows; the cells are Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows[:MAX_ROWS]:
        yield f"| {' | '.join(row)} |"
    if len(rows) > MAX_ROWS:
        yield f"\n… and {len(rows) - MAX_ROWS} more."


def code(lines: Iterable[str]) -> list[str]:
    """Return lines as a code block; the fence is longer than every run of backticks in them."""
    kept = [" ".join(line.split()) for line in lines]
    longest = max((len(run) for line in kept for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}sh", *kept, fence]


def text(raw: str) -> str:
    """Return text of clients and brokers as one visible line with its Markdown characters escaped."""
    return SPECIAL.sub(r"\\\1", visible(raw))
