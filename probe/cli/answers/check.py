"""The answer of `probe check` for people: one sentence, then per role what differs, and how to see it."""

from __future__ import annotations

from collections.abc import Iterator

from probe.cells.cell_names import cell_name
from probe.cells.change_words import sentence
from probe.cells.comparison import SHOWN, Answer, Compared
from probe.cli.answers.advice_summary import summary
from probe.cli.answers.advise import WIDTH
from probe.model.counts import counted
from probe.reports.check.result import CheckResult, basis

MOST = 12
"""Cells of a role that are listed without `--json`."""


def check_lines(check: CheckResult, more: str) -> Iterator[str]:
    """Yield the answer; `more` is the command that gives undecided cells more trials."""
    yield check.headline
    yield f"{check.build} beside {check.release.version}: {summary(check.found)}"
    for role, mine in check.by_role():
        yield str(role)
        for one in mine[:MOST]:
            yield from _lines(check, one)
        if len(mine) > MOST:
            yield f"  {'':<{WIDTH}} and {counted(len(mine) - MOST, 'more cell')}: --json has all of them"
    for one in check.known:
        yield f"  {'accepted':<{WIDTH}} {cell_name(one.step.after.cell)}: {basis(one)} ({check.reason_for(one)})"
    for entry in check.accepted.stale:
        yield f"  {'stale':<{WIDTH}} {entry}"
    if check.of(Answer.UNDECIDED):
        yield f"  {'':<{WIDTH}} more trials may decide what is undecided: {more}"


def _lines(check: CheckResult, one: Compared) -> Iterator[str]:
    yield f"  {one.answer:<{WIDTH}} {cell_name(one.step.after.cell)}: {basis(one)}"
    if one.answer in SHOWN:
        yield f"  {'':<{WIDTH}} {sentence(one)}"
    if one.answer is Answer.WORSE:
        yield f"  {'':<{WIDTH}} {check.command(one)}"
