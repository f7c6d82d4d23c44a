"""`probe verify`: known results compared with measured ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from probe.catalogue.families import CatalogueError
from probe.catalogue.files import data_file
from probe.catalogue.known_costs import ExpectedCost, KnownCost, expected_costs, read_known_costs
from probe.catalogue.known_results import Expectation, Known, contrasted, expected, read_known
from probe.cells.aggregate import SettledCell
from probe.cells.cell_order import in_order
from probe.cells.cli_hints import show_command
from probe.cells.expectations import GOOD, Finding, Status, check
from probe.cells.known_trials import missing, needed, pooled
from probe.cli import common_options as common
from probe.cli.console.older_conditions import say_older
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.single_cells import plan_cell, run_cells
from probe.errors import GateError, NothingJudgedError, ProbeError, ProvisionError
from probe.model import Cell, Engine
from probe.model.conditions import is_current, outdated
from probe.model.engines import ENGINES
from probe.model.outcomes import PLAYED_AGAIN
from probe.runner import Options
from probe.store import trials
from probe.toolchain.tools import ToolError
from probe.verdict import RULES_VERSION

KNOWN = data_file("known_results.toml")
ROUNDS = 2
"""Maximum number of runs per engine: trials without a verdict run once more, since a busy machine may break control
cells and a random refresh may come just before the fault."""


def verify(
    *,
    contrast: Annotated[
        bool,
        typer.Option("--contrast", help="Also check the contrast of each entry, which must have the opposite result."),
    ] = False,
    results: common.Results = common.RESULTS,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run every cell again, and ignore stored results.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="GLOB", help="Identifier or pattern of entries. May be repeated."),
    ] = None,
    engine: Annotated[
        list[Engine] | None,
        typer.Option(
            "--engine",
            help="Check only the known results of this engine: embedded, or kafka (real brokers). Default: both.",
        ),
    ] = None,
    known: Annotated[
        Path,
        typer.Option("--known", metavar="FILE", help="File of known results.", show_default=KNOWN.name),
    ] = KNOWN,
    jobs: common.Jobs = None,
) -> None:
    """Check known results against stored ones; missing cells are run. Exit code 1 if one is not reproduced."""
    every: list[Known | KnownCost] = [*read_known(known), *read_known_costs(known)]
    both = chosen(every, only or [])
    entries = [item for item in both if isinstance(item, Known)]
    wanted: list[Expectation | ExpectedCost] = [*map(expected, entries)]
    if contrast:
        wanted += map(contrasted, entries)
    for item in both:
        wanted += expected_costs(item, contrast=contrast) if isinstance(item, KnownCost) else ()
    wanted = on_engines(wanted, engine or list(Engine))
    cells = [item for item in wanted if isinstance(item, Expectation)]
    costs = [item for item in wanted if isinstance(item, ExpectedCost)]
    held = _measured(results, cells, Options(jobs=jobs), fresh=fresh)
    findings = [check(item, held.get(item.cell)) for item in cells]
    seen = [(one.status, one.expectation.name, _line(one, results)) for one in findings]
    if costs:
        from probe.cli.wiring.known_costs import check_costs  # noqa: PLC0415  # it loads what plays trials

        shown = check_costs(costs, results, fresh=fresh)
        seen += ((status, item.name, line) for item, (status, line) in zip(costs, shown, strict=True))
    _print(seen)


def chosen(entries: Sequence[Known | KnownCost], globs: Sequence[str]) -> list[Known | KnownCost]:
    """Return the entries that match any pattern, or all; ProbeError for a pattern without a match."""
    for glob in globs:
        if not any(fnmatchcase(item.id, glob) for item in entries):
            raise ProbeError(
                f"--only {glob}: no entry has this identifier; known are {', '.join(i.id for i in entries)}"
            )
    return [item for item in entries if not globs or any(fnmatchcase(item.id, glob) for glob in globs)]


def on_engines(
    wanted: Sequence[Expectation | ExpectedCost], engines: Collection[Engine]
) -> list[Expectation | ExpectedCost]:
    """Return the expectations of these engines, and say how many others are left out. ProbeError if none is left."""
    for other in Engine:
        count = sum(item.engine is other for item in wanted)
        if count and other not in engines:
            where = ENGINES[other].title
            say(f"skipped  {count} known results on {where}: `--engine {other}` or no --engine checks them")
    chosen = [item for item in wanted if item.engine in engines]
    if not chosen:
        names = " or ".join(ENGINES[one].title for one in engines)
        raise ProbeError(f"no selected known result is on {names}; leave --engine out")
    return chosen


def _measured(results: str, wanted: Sequence[Expectation], options: Options, *, fresh: bool) -> dict[Cell, SettledCell]:
    """Return the settled cells; those without enough verdicts by the current rules and conditions are run first."""
    for item in wanted:
        try:
            plan_cell(item.cell)
        except ProbeError as error:
            raise ProbeError(f"known result {item.name}: {error}; correct the entry") from None
    own: set[str] | None = set() if fresh else None
    if not fresh:
        say_older(_outdated(results, {item.cell for item in wanted}), "they are run again")
    for engine in Engine:
        _play([item for item in wanted if item.engine is engine], options, results, own)
    return _stored(results, wanted, own)


def _play(wanted: Sequence[Expectation], options: Options, results: str, own: set[str] | None) -> None:
    """Run what is missing on one engine, and add the ids of the runs to `own`."""
    counts = needed(wanted)
    for _ in range(ROUNDS if wanted else 0):
        lacking = missing(_stored(results, wanted, own), counts)
        if not lacking:
            return
        where = ENGINES[wanted[0].engine].title
        trials_text = "" if sum(lacking.values()) == len(lacking) else f" ({sum(lacking.values())} trials)"
        say(f"running {len(lacking)} of {len(counts)} cells{trials_text} on {where}; the others have stored results")
        try:
            ran = run_cells(in_order(lacking), options, results, lacking)
        except (CatalogueError, ProvisionError, ToolError) as error:
            raise ProbeError(f"{error}; `--engine` checks the known results of the other engine alone") from None
        if own is not None:
            own.add(ran.run_id)


def _stored(results: str, wanted: Sequence[Expectation], own: set[str] | None) -> dict[Cell, SettledCell]:
    """Settle stored trials, or those of `own` runs; trials without a verdict count only if the cell has no others.

    Trials under conditions that are not comparable with today's do not count.
    """
    rows = [
        row
        for row in trials(results)
        if (own is None or row.run_id in own)
        and row.verdict.rules >= RULES_VERSION
        and is_current(row.cell, row.conditions)
    ]
    judged = {row.cell for row in rows if row.verdict.outcome not in PLAYED_AGAIN}
    return pooled((row for row in rows if row.cell not in judged or row.verdict.outcome not in PLAYED_AGAIN), wanted)


def _outdated(results: str, cells: Collection[Cell]) -> list[Cell]:
    wanted = frozenset(cells)
    return outdated(row for row in trials(results) if row.cell in wanted)


def _print(seen: Sequence[tuple[Status, str, str]]) -> None:
    """Print the lines of expectations, each with its status and name, and how many there are of each status."""
    for _, _, line in seen:
        OUT.print(line, markup=False)
    counts = Counter(status for status, _, _ in seen)
    OUT.print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())), markup=False)
    if counts[Status.UNJUDGED] == len(seen):
        raise NothingJudgedError("none of the known results could be judged; the lines above say why")
    bad = [name for status, name, _ in seen if status not in GOOD]
    if bad:
        raise GateError(f"{len(bad)} of {len(seen)} known results are not reproduced; the first: {bad[0]}")


def _line(finding: Finding, results: str) -> str:
    item = finding.expectation
    text = f"{finding.status:<8} {item.name}: {item.cell}: {finding.text} [{item.source}]"
    if finding.status in GOOD or finding.settled is None:
        return text
    return f"{text}; {show_command(finding.settled, results)}"
