"""`probe check`: a working copy of a client library beside its last release."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from probe.cells.cell_ignores import accept, check_rewritable, read_cell_ignores, rewritten
from probe.cells.cell_names import cell_name
from probe.cells.comparison import MORE, Answer
from probe.cells.ignores import NAME
from probe.cli import common_options as o
from probe.cli.answers.check import check_lines
from probe.cli.comparison_options import MOST, DecisiveTrials
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.check_plan import Scope, questions, sides_of
from probe.cli.wiring.check_trials import Player
from probe.cli.wiring.check_trials import check as compare_sides
from probe.cli.wiring.ignore_file import ignore_text
from probe.cli.wiring.output_files import check_writable
from probe.drivers.provision import provision
from probe.errors import GateError, ProbeError
from probe.files.atomic_writes import write_file
from probe.model.counts import counted
from probe.reports.check.junit import junit
from probe.reports.check.markdown import markdown
from probe.reports.check.plain_data import as_json
from probe.reports.check.result import CheckResult
from probe.reports.check.sarif import sarif
from probe.runner.trial_limit import MOST as MOST_AT_ONCE

GATES = ("worse", "none")
MANIFESTS = ("go.mod", "pyproject.toml", "setup.py", "Cargo.toml", "package.json", "CMakeLists.txt", "build.gradle")
"""Files by which a working copy is built; a finding of SARIF needs a file."""


def check(
    what: Annotated[
        str,
        typer.Argument(metavar="FAMILY@path:DIR", help="Your working copy: a checkout, a wheel, a jar or a library."),
    ],
    *,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="VERSION", help="The release beside it; default: the newest listed one."),
    ] = None,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            metavar="GLOB",
            help="Scenario name or pattern, such as 'disk/*'. May be repeated; default: the scenarios of Failover "
            "Baseline 2026, and those of the known results of this library.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every scenario; short for --scenario '*'.")] = False,
    role: o.Roles = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="Client configuration by name. May be repeated; default: isolated, and defaults, watched for at most "
            "60 s.",
        ),
    ] = None,
    trials: DecisiveTrials = MORE,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="worse|none",
            help="Exit with code 1 if a cell is worse that the ignore file does not accept, or an entry of it is "
            "stale; none: never.",
        ),
    ] = GATES[0],
    ignore: Annotated[
        Path | None,
        typer.Option(
            "--ignore",
            metavar="FILE",
            help=f"Cells that may be worse, each with a reason (docs/check.md). Default: {NAME} if it exists.",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the worse cells into the ignore file, and remove stale entries.")
    ] = False,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/check.json).")] = False,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", metavar="FILE", help="Write Markdown for a comment: at most 30 lines.")
    ] = None,
    sarif_file: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0.")] = None,
    results: o.Results = o.RESULTS,
    jobs: o.Jobs = None,
    exactly: Annotated[
        int | None, typer.Option("--exactly", min=1, max=MOST_AT_ONCE, hidden=True, help="For benchmarks.")
    ] = None,
) -> None:
    """Build a working copy of a client library and compare it with a release: what is worse, better, undecided.

    Both are played side by side; exit code 1 if trials show that a cell is worse.
    """
    if fail_on not in GATES:
        raise ProbeError(f"--fail-on {fail_on}: it is none of {', '.join(GATES)}; leave it out for {GATES[0]}")
    if everything and scenario:
        raise ProbeError(f"--all: every scenario is played, also --scenario {scenario[0]}; give one of the two")
    reports = {
        one: write_it for one, write_it in ((junit_file, junit), (summary, markdown), (sarif_file, sarif)) if one
    }
    for path in reports:
        check_writable(path)
    text, place = _ignores(ignore, write=write)
    entries = read_cell_ignores(text, place)
    scope = Scope(scenarios=["*"] if everything else scenario or (), roles=role or (), profiles=profile or ())
    sides = sides_of(what, against)
    player = Player(results=results, jobs=jobs, questions=questions(sides, scope), exactly=exactly)
    for one in (sides.build, sides.release):
        provision(one.family, one.version)
    found = compare_sides(player, sides, trials)
    moment = datetime.now(UTC)
    made = CheckResult(
        release=sides.release.client,
        build=sides.build.client,
        found=found,
        accepted=accept(entries, found, moment.date(), is_whole=scope.is_whole),
        results=results,
        moment=moment,
        manifest=_manifest(what),
    )
    for path, write_it in reports.items():
        write_file(path, write_it(made))
    if json_out:
        typer.echo(as_json(made), nl=False)
    else:
        for line in check_lines(made, _longer(what, against, scope, results)):
            OUT.print(line, markup=False)
    if write:
        _write(made, text, place)
    elif fail_on != GATES[1]:
        _gate(made)


def _ignores(named: Path | None, *, write: bool) -> tuple[str, str]:
    """Return the text of the ignore file and its name; with `--write` it may not exist yet."""
    if write and named is not None and not named.exists():
        check_writable(named)
        return "", str(named)
    text, place = ignore_text(named)
    if write:
        check_rewritable(text, place)
    return text, place


def _manifest(what: str) -> str:
    """Return the file by which the working copy is built, relative to the working directory where it lies below it."""
    root = Path(what.partition(":")[2]).expanduser()
    found = next((root / name for name in MANIFESTS if (root / name).is_file()), None)
    if found is None:
        return ""
    relative = os.path.relpath(found.resolve())
    return relative if not relative.startswith("..") else str(found.resolve())


def _longer(what: str, against: str | None, scope: Scope, results: str) -> str:
    """Return the same check with as many trials as there may be."""
    options = [
        *((("--against", against),) if against else ()),
        *(("--scenario", one) for one in scope.scenarios),
        *(("--role", str(one)) for one in scope.roles),
        *(("--profile", one) for one in scope.profiles),
        *((("--results", results),) if results != o.RESULTS else ()),
        ("--trials", str(MOST)),
    ]
    return " ".join(["probe check", shlex.quote(what), *(f"{name} {shlex.quote(text)}" for name, text in options)])


def _write(made: CheckResult, text: str, place: str) -> None:
    since = f"since {made.release.version}"
    added: Mapping[str, str] = {
        cell_name(one.step.after.cell): f"{one.step.before.tally} -> {one.step.after.tally} {since}"
        for one in made.of(Answer.WORSE)
    }
    stale = made.accepted.stale
    if added or stale:
        write_file(Path(place), rewritten(text, stale, added))
    say(f"{place}: {counted(len(added), 'cell')} added, {len(stale)} removed")


def _gate(made: CheckResult) -> None:
    """Raise GateError for a worse cell that nothing accepts, and for a stale entry of the ignore file."""
    said = [str(one) for one in made.accepted.stale]
    if worse := made.of(Answer.WORSE):
        first = cell_name(worse[0].step.after.cell)
        said.insert(0, f"{counted(len(worse), 'cell')} worse than in {made.release}, first: {first}")
    if said:
        raise GateError("; ".join(said))
