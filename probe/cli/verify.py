"""`probe verify`: known results against what is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from probe.advise.commands import show_command
from probe.advise.diff import in_order
from probe.advise.expectations import GOOD, Finding, Status, check
from probe.advise.known import Expectation, Known, contrasted, expected, read_known
from probe.advise.settled import Settled, settle
from probe.catalogue.files import data_file
from probe.cli import options as o
from probe.cli.cells import plan_cell, play_cells
from probe.cli.console import OUT, say
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.model import Cell
from probe.model.outcomes import PLAYED_AGAIN
from probe.runner import Options
from probe.store import trials
from probe.verdict import RULES_VERSION

KNOWN = data_file("known_results.toml")
ROUNDS = 2
"""On a busy machine control cells break, and with them all that rests on them; a client's own random refresh may come
just before it would have met the fault: those are played once more."""


def verify(
    *,
    contrast: Annotated[bool, typer.Option("--contrast", help="Play the contrasts too: each the opposite.")] = False,
    results: o.Results = o.RESULTS,
    fresh: Annotated[bool, typer.Option("--fresh", help="Play every cell again, whatever is stored.")] = False,
    only: Annotated[list[str] | None, typer.Option("--only", help="Glob over the ids of entries. Repeats.")] = None,
    known: Annotated[Path, typer.Option("--known", help="File of known results.")] = KNOWN,
    jobs: o.Jobs = o.DEFAULT_JOBS,
) -> None:
    """Compare known results with what is measured; cells that are not stored are played. Exit 1 if any fails."""
    entries = chosen(read_known(known), only or [])
    wanted = [expected(item) for item in entries]
    if contrast:
        wanted += [contrasted(item) for item in entries]
    held = _measured(results, wanted, Options(jobs=jobs), fresh=fresh)
    findings = [check(item, held.get(item.cell)) for item in wanted]
    _tell(findings, results)


def chosen(entries: Sequence[Known], globs: Sequence[str]) -> list[Known]:
    """Return the entries that any of the globs names, or all; ProbeError for a glob that matches none."""
    for glob in globs:
        if not any(fnmatchcase(item.id, glob) for item in entries):
            raise ProbeError(f"--only {glob}: no entry has such an id; there are {', '.join(i.id for i in entries)}")
    return [item for item in entries if not globs or any(fnmatchcase(item.id, glob) for glob in globs)]


def _measured(results: str, wanted: Sequence[Expectation], options: Options, *, fresh: bool) -> dict[Cell, Settled]:
    """Return the settled cells; what is not stored and judged by today's rules is played first."""
    for item in wanted:
        try:
            plan_cell(item.cell)
        except ProbeError as error:
            raise ProbeError(f"known result {item.name}: {error}; mend the entry") from None
    cells = in_order({item.cell for item in wanted})
    own: set[str] | None = set() if fresh else None
    stored = _stored(results, own)
    for _ in range(ROUNDS):
        missing = [cell for cell in cells if _again(stored.get(cell))]
        if not missing:
            break
        say(f"{len(missing)} of {len(cells)} cells are played, the others are stored")
        ran = play_cells(missing, options, results)
        if own is not None:
            own.add(ran.run_id)
        stored = _stored(results, own)
    return stored


def _stored(results: str, own: set[str] | None) -> dict[Cell, Settled]:
    """Settle what is stored, or what was played just now (`own` runs); trials that say nothing contradict no others."""
    rows = [row for row in trials(results) if (own is None or row.run_id in own) and row.verdict.rules >= RULES_VERSION]
    told = {row.cell for row in rows if row.verdict.outcome not in PLAYED_AGAIN}
    return settle(row for row in rows if row.cell not in told or row.verdict.outcome not in PLAYED_AGAIN)


def _again(settled: Settled | None) -> bool:
    return settled is None or settled.outcome in PLAYED_AGAIN


def _tell(findings: Sequence[Finding], results: str) -> None:
    for finding in findings:
        OUT.print(_line(finding, results), markup=False)
    counts = Counter(finding.status for finding in findings)
    OUT.print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())), markup=False)
    if counts[Status.UNJUDGED] == len(findings):
        raise NothingJudgedError("none of the known results could be judged; the lines above say why")
    bad = [finding for finding in findings if finding.status not in GOOD]
    if bad:
        raise GateError(
            f"{len(bad)} of {len(findings)} known results are not reproduced; the first: {bad[0].expectation.name}"
        )


def _line(finding: Finding, results: str) -> str:
    item = finding.expectation
    text = f"{finding.status:<8} {item.name}: {item.cell}: {finding.text} [{item.source}]"
    if finding.status in GOOD or finding.settled is None:
        return text
    return f"{text}; {show_command(finding.settled, results)}"
