"""`probe bisect`: the version in which a client changed, with as few runs as possible."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from probe.catalogue.name_hints import client_hint
from probe.catalogue.scenarios import select_scenarios
from probe.cells.bisect import SCREEN, ChangePoint, NextRuns, NoChange, narrower, next_step, unsure
from probe.cells.comparison import CHANCE, PLAIN
from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.answers.bisect import change_lines
from probe.cli.console.streams import OUT, say
from probe.cli.laboratory import absent_packages, need_laboratory
from probe.cli.wiring.bisect_run import BisectRunner, BisectState, summary_of
from probe.cli.wiring.catalogue import choose_clients, families
from probe.cli.wiring.evidence import open_evidence
from probe.cli.wiring.line_releases import pasted_client, span_of
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import NothingJudgedError, ProbeError
from probe.model import Role, Workload
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import version_key
from probe.planning.plan import Plan
from probe.runner import Options
from probe.store.presence import has_runs

MIN_VERSIONS = 2
"""With at most this many listed candidates left, unlisted releases are candidates, too, at no further run."""


def bisect(
    family: Annotated[
        str,
        typer.Argument(metavar="FAMILY", help="Client family, such as sarama, or a line of its releases, sarama@1.43."),
    ],
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="Full name of one scenario.")],
    *,
    role: Annotated[Role, typer.Option("--role", help="Role of the client.")] = Role.PRODUCER,
    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="PROFILE", help=f"Default: {DEFAULT_PROFILE}, or the scenario's own."),
    ] = None,
    property_: o.Properties = None,
    engine: common.EngineOption = DEFAULT_ENGINE,
    broker: Annotated[str, typer.Option("--broker", metavar="LINE", help="Kafka broker line.")] = common.DEFAULT_BROKER,
    election: o.ElectionOption = None,
    security: o.SecurityOption = None,
    rack: o.RackOption = None,
    workload: Annotated[
        Workload, typer.Option("--workload", help="What the application does while it is observed.")
    ] = Workload.CONTINUOUS,
    oldest: Annotated[
        str | None, typer.Option("--from", metavar="VERSION", help="Oldest version; default: the oldest listed.")
    ] = None,
    newest: Annotated[
        str | None, typer.Option("--to", metavar="VERSION", help="Newest version; default: the newest listed.")
    ] = None,
    all_releases: Annotated[
        bool,
        typer.Option("--all-releases/--listed-only", help="At the end, also try unlisted releases from the registry."),
    ] = True,
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            metavar="N",
            min=1,
            max=100,
            help=f"Number of trials on both sides of the change; default: {SCREEN + PLAIN}, and {SCREEN + CHANCE} "
            "where they differ, all in one run.",
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run every version again, and ignore stored results.")] = False,
    no_run: Annotated[
        bool, typer.Option("--no-run", help="Run nothing: answer from stored results and evidence alone.")
    ] = False,
    evidence: common.Evidence = None,
    max_age: common.MaxAge = common.MAX_AGE_DAYS,
    seed: o.Seed = None,
    jobs: common.Jobs = None,
    results: common.Results = common.RESULTS,
) -> None:
    """Find the version in which the outcome changed. Exit code 0 if there is one, 1 if all outcomes are the same."""
    started = time.monotonic()
    if not no_run and absent_packages():
        say("the laboratory is not installed here, so nothing is run (--no-run)")
        no_run = True
    names = [select.name for select in select_scenarios([scenario])]
    if len(names) != 1:
        raise ProbeError(
            f"bisect {scenario}: {len(names)} scenarios match, such as {names[0]}; give the full name of one"
        )
    asked = RunSelection(
        scenarios=names,
        roles=[role],
        profiles=[profile] if profile else (),
        properties=property_ or (),
        engine=engine,
        brokers=[broker],
        election=o.parse_election(election),
        security=o.parse_security(security),
        rack=o.parse_rack(rack),
        workloads=[str(workload)],
        seed=seed,
    )
    state = survey(family, names[0], asked, oldest, newest)
    OUT.print(_title(state), markup=False)
    if has_runs(results) and not no_run:
        from probe.cli.wiring.settled_cells import keep_settled  # noqa: PLC0415  # loads pyarrow

        keep_settled(results)  # nothing is run that is stored already
    with BisectRunner(results, Options(jobs=jobs), fresh=fresh) as player:
        with open_evidence(evidence, results, max_age) as known:
            player.recall(state, known, no_run=no_run)
        for line in _stored(state):
            OUT.print(line, markup=False)
        found = from_known(state) if no_run else find(state, player, trials, widen=all_releases)
    seconds = time.monotonic() - started
    for line in change_lines(found, state, results):
        OUT.print(line, markup=False)
    stored = f"; evidence: {results.rstrip('/')}/run_id={player.run_id}" if player.run_id else ""
    OUT.print(f"{len(player.asked)} versions run, {player.trials} trials, {seconds:.0f} s{stored}", markup=False)
    if isinstance(found, NoChange):
        raise typer.Exit(code=1)


def survey(family: str, scenario: str, asked: RunSelection, oldest: str | None, newest: str | None) -> BisectState:
    """Return the listed versions within the bounds that can run the cell. ProbeError for fewer than two."""
    family, oldest, newest = span_of(pasted_client(family), oldest, newest)
    if "@" in family:
        raise ProbeError(
            f"bisect {family}: write the family without a version, or with a line of releases; --from and --to limit "
            "the versions"
        )
    if family not in families():
        hint = client_hint(family, [*families()])
        raise ProbeError(f"bisect {family}: there is no client family {family}; {hint}")
    low, high = (_version(family, text) for text in (oldest, newest))
    clients = [f"{family}@{version}" for version in ("all", low, high) if version is not None]
    plan, selection = replace(asked, clients=clients).whole()
    played = {item.cell.version: item for item in plan.cells if item.cell.scenario == scenario}
    versions = [name for name in sorted(played, key=version_key) if _within(name, low, high)]
    versions = [name for name in versions if played[name].cell.profile == played[versions[-1]].cell.profile]
    if len(versions) < 2:
        bounds = " ".join(f"{option} {version}" for option, version in (("--from", low), ("--to", high)) if version)
        raise ProbeError(_too_few(family, scenario, asked.roles[0], plan, bounds))
    return BisectState(
        family=families()[family],
        cell=played[versions[-1]].cell,
        selection=selection,
        versions=versions,
        played={
            name: tuple(item for item in plan.cells if item.cell in {played[name].cell, played[name].steady})
            for name in versions
        },
    )


def _version(family: str, text: str | None) -> str | None:
    return choose_clients([f"{family}@{text}"])[0].version.version if text is not None else None


def _within(version: str, low: str | None, high: str | None) -> bool:
    key = version_key(version)
    return (low is None or key >= version_key(low)) and (high is None or key <= version_key(high))


def _too_few(family: str, scenario: str, role: Role, plan: Plan, bounds: str) -> str:
    (known,) = select_scenarios([scenario])
    if known.variant(role) is None:
        return f"bisect {scenario}: it has no role {role}; its roles are {', '.join(known.roles)}"
    if bounds:
        return f"bisect {family}: fewer than two versions within {bounds} can run this; choose a wider range"
    reason = next((skip.reason for skip in plan.skips if skip.cell.scenario == scenario), "it has one version only")
    return f"bisect {family} {scenario}: nothing to run: {reason}"


def from_known(state: BisectState) -> ChangePoint | NoChange:
    """Return what is known without a run; versions without evidence say nothing."""
    if not state.known:
        need_laboratory(f"nothing is known of {state.cell.family} here, and to run it")
    why = {True: "it was measured under other conditions", False: "it was never measured"}
    state.absent.update({name: why[name in state.others] for name in state.versions if name not in state.known})
    found = next_step(state.versions, state.known, state.absent)
    if isinstance(found, NextRuns):
        raise NothingJudgedError(f"nothing is known of {state.cell.family}; leave --no-run out to run it")
    if isinstance(found, ChangePoint) and (inner := narrower(found, state.known, state.others, state.versions)):
        for name in (inner.before, inner.since):
            state.known[name] = state.others[name]
        return inner
    return found


def find(state: BisectState, player: BisectRunner, trials: int | None, *, widen: bool) -> ChangePoint | NoChange:
    """Run versions until both sides of a boundary are confirmed, or until nothing is left to run."""
    while True:
        found = next_step(state.versions, state.known, state.absent)
        if isinstance(found, NoChange):
            return found
        if isinstance(found, NextRuns):
            if widen and found.after and found.left <= MIN_VERSIONS and state.widen(found.after, found.before):
                continue
            _explain(found)
            _print(state, player.play(state, found.versions, 1))
            continue
        if widen and state.widen(found.before, found.since):
            continue
        names, count = unsure(found, state.known, trials)
        again = [name for name in names if player.asked.get(name, 0) < count]
        if not again:
            return found
        say(f"{' and '.join(again)} once more, {count} trials in all, to confirm the change")
        _print(state, player.play(state, again, count))


def _explain(found: NextRuns) -> None:
    what = f"{found.left} left between {found.after} and {found.before}" if found.after else "both ends first"
    say(f"running {' and '.join(found.versions)}: {what}")


def _print(state: BisectState, names: Sequence[str]) -> None:
    for name in names:
        OUT.print(f"  {name:<12} {summary_of(state.known[name])}", markup=False)


def _title(state: BisectState) -> str:
    cell, versions = state.cell, state.versions
    where = f"{cell.engine} engine, broker {cell.broker}{cell.unusual}"
    what = f"{cell.family} {cell.scenario} ({cell.role}, {cell.profile}, {where})"
    return f"{what}: {len(versions)} listed versions, {versions[0]} to {versions[-1]}"


def _stored(state: BisectState) -> Iterator[str]:
    if state.known:
        yield f"  {len(state.known)} of them are known and are not run again (--fresh runs them)"
