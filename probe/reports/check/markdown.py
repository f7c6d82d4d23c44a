"""`probe check` as Markdown for a comment on a pull request: at most `MOST_LINES` lines, its first one a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe.cells.cell_names import cell_name
from probe.cells.comparison import Answer, Compared
from probe.model.counts import counted
from probe.reports.check.result import CheckResult, basis
from probe.reports.markdown import table, text

MOST_LINES = 30
MOST_ROWS = 10
"""Cells in the table; those that are worse come first."""
MOST_COMMANDS = 5


def markdown(check: CheckResult) -> str:
    """Return a check as Markdown."""
    return "\n".join([text(f"{check.headline}."), "", *_table(check), *_rest(check), *_timelines(check)]) + "\n"


def _table(check: CheckResult) -> list[str]:
    listed = _listed(check)
    rows = [
        [text(str(one.answer)), text(cell_name(one.step.after.cell)), text(basis(one))] for one in listed[:MOST_ROWS]
    ]
    return [*table(("answer", "role and fault", "release -> this build"), rows), ""] if rows else []


def _listed(check: CheckResult) -> list[Compared]:
    return [one for answer in (Answer.WORSE, Answer.BETTER, Answer.UNDECIDED) for one in check.of(answer)]


def _rest(check: CheckResult) -> Iterator[str]:
    listed = len(_listed(check))
    if listed > MOST_ROWS:
        yield f"And {counted(listed - MOST_ROWS, 'more cell')}; the JSON of the check has all of them."
    same = len(check.found) - listed - len(check.known)
    yield text(
        f"{check.build} beside {check.release.version}: {counted(len(check.found), 'cell')} played on both sides, "
        f"no difference shown in {same}, {len(check.known)} accepted by the ignore file."
    )
    if stale := check.accepted.stale:
        more = f" (and {len(stale) - 1} more)" if len(stale) > 1 else ""
        yield text(f"Stale in the ignore file: {stale[0]}{more}.")
    yield ""


def _timelines(check: CheckResult) -> list[str]:
    worse: Sequence[Compared] = check.of(Answer.WORSE)[:MOST_COMMANDS]
    if not worse:
        return []
    head = "<details><summary>What happened, step by step</summary>"
    return [head, "", "```sh", *map(check.command, worse), "```", "", "</details>"]
