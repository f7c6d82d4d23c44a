"""`probe bisect`: in which version a client changed, found by running as few versions as possible."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Annotated

import typer

from probe.advise.bisect import Edge, Same, Try, conforms, next_step, says, sentence, unsure
from probe.advise.commands import show_command
from probe.catalogue.scenarios import select_scenarios
from probe.cli import options as o
from probe.cli.bisecting import Ground, Player, told
from probe.cli.compose import choose_clients, families
from probe.cli.console import OUT, say
from probe.errors import NothingJudgedError, ProbeError
from probe.model import Engine, Role
from probe.model.versions import version_key
from probe.plan import Plan
from probe.runner import Options

FEW = 2
"""With so few listed versions left, releases that no list has are tried among them: that costs no run more."""


def bisect(
    family: Annotated[str, typer.Argument(help="Client family.")],
    scenario: Annotated[str, typer.Argument(help="One scenario, by its whole name.")],
    *,
    role: Annotated[Role, typer.Option("--role", help="What the client does.")] = Role.PRODUCER,
    profile: Annotated[str, typer.Option("--profile", help="Client configuration.")] = "isolated",
    property_: o.Properties = None,
    engine: o.EngineOption = Engine.EMBEDDED,
    broker: Annotated[str, typer.Option("--broker", help="Kafka line, such as 3.9.")] = o.DEFAULT_BROKER,
    election: o.ElectionOption = None,
    oldest: Annotated[str | None, typer.Option("--from", help="Oldest version; default: the oldest listed.")] = None,
    newest: Annotated[str | None, typer.Option("--to", help="Newest version; default: the newest listed.")] = None,
    all_releases: Annotated[
        bool, typer.Option("--all-releases/--listed-only", help="Try releases that are in no list, too, at the edge.")
    ] = True,
    trials: Annotated[int, typer.Option("--trials", min=1, max=100, help="Trials of both versions at the edge.")] = 3,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run every version, whatever is stored.")] = False,
    seed: o.Seed = None,
    jobs: o.Jobs = o.DEFAULT_JOBS,
    results: o.Results = o.RESULTS,
) -> None:
    """Find the version in which the outcome changed. Exit 0 if there is one, 1 if all versions do the same."""
    started = time.monotonic()
    names = [select.name for select in select_scenarios([scenario])]
    if len(names) != 1:
        raise ProbeError(f"bisect {scenario}: that is {len(names)} scenarios, such as {names[0]}; name one")
    asked = o.Asked(
        scenarios=names,
        roles=[role],
        profiles=[profile],
        properties=property_ or (),
        engine=engine,
        brokers=[broker],
        election=o.parse_election(election),
        seed=seed,
    )
    ground = survey(family, names[0], asked, oldest, newest)
    OUT.print(_title(ground), markup=False)
    with Player(results, Options(jobs=jobs), fresh=fresh) as player:
        player.recall(ground)
        for line in _stored(ground):
            OUT.print(line, markup=False)
        found = find(ground, player, trials, widen=all_releases)
    seconds = time.monotonic() - started
    for line in _report(found, ground, results):
        OUT.print(line, markup=False)
    evidence = f"; evidence: {results.rstrip('/')}/run_id={player.run_id}" if player.run_id else ""
    OUT.print(f"{len(player.asked)} versions run, {player.trials} trials, {seconds:.0f} s{evidence}", markup=False)
    if isinstance(found, Same):
        raise typer.Exit(code=1)


def survey(family: str, scenario: str, asked: o.Asked, oldest: str | None, newest: str | None) -> Ground:
    """Return the listed versions that can play the question, within bounds. ProbeError or CatalogueError if none."""
    if "@" in family:
        raise ProbeError(f"bisect {family}: name the family alone; --from and --to bound its versions")
    if family not in families():
        near = get_close_matches(family, families(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(families()))}"
        raise ProbeError(f"bisect {family}: there is no client family {family}; {hint}")
    low, high = (_version(family, text) for text in (oldest, newest))
    clients = [f"{family}@{version}" for version in ("all", low, high) if version is not None]
    plan, selection = replace(asked, clients=clients).whole()
    played = {item.cell.version: item for item in plan.cells if item.cell.scenario == scenario}
    versions = [name for name in sorted(played, key=version_key) if _within(name, low, high)]
    if len(versions) < 2:
        bounds = " ".join(f"{option} {version}" for option, version in (("--from", low), ("--to", high)) if version)
        raise ProbeError(_too_few(family, scenario, asked.roles[0], plan, bounds))
    return Ground(
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
    if known.part(role) is None:
        return f"bisect {scenario}: it is not played in role {role}; --role takes {', '.join(known.roles)}"
    if bounds:
        return f"bisect {family}: fewer than two versions that can play lie within {bounds}; widen it"
    reason = next((skip.reason for skip in plan.skips if skip.cell.scenario == scenario), "it has one version only")
    return f"bisect {family} {scenario}: nothing to run: {reason}"


def find(ground: Ground, player: Player, trials: int, *, widen: bool) -> Edge | Same:
    """Run versions until there is an edge whose two sides hold, or nothing left to run."""
    while True:
        found = next_step(ground.versions, ground.known, ground.absent)
        if isinstance(found, Same):
            return found
        if isinstance(found, Try):
            if widen and found.after and found.left <= FEW and ground.widen(found.after, found.before):
                continue
            _explain(found)
            _tell(ground, player.play(ground, found.versions, 1))
            continue
        if widen and ground.widen(found.before, found.since):
            continue
        again = [name for name in unsure(found, ground.known, trials) if player.asked.get(name, 0) < trials]
        if not again:
            return found
        say(f"{' and '.join(again)} once more, {trials} trials in all: the edge must hold")
        _tell(ground, player.play(ground, again, trials))


def _explain(found: Try) -> None:
    what = f"{found.left} left between {found.after} and {found.before}" if found.after else "the ends first"
    say(f"running {' and '.join(found.versions)}: {what}")


def _tell(ground: Ground, names: Sequence[str]) -> None:
    for name in names:
        OUT.print(f"  {name:<12} {told(ground.known[name])}", markup=False)


def _title(ground: Ground) -> str:
    cell, versions = ground.cell, ground.versions
    what = f"{cell.family} {cell.scenario} ({cell.role}, {cell.profile}, {cell.engine} engine, broker {cell.broker})"
    return f"{what}: {len(versions)} listed versions, {versions[0]} to {versions[-1]}"


def _stored(ground: Ground) -> Iterator[str]:
    if ground.known:
        yield f"  {len(ground.known)} of them are stored and not run again (--fresh does)"


def _report(found: Edge | Same, ground: Ground, results: str) -> Iterator[str]:
    if isinstance(found, Same):
        yield _no_change(found, ground)
        return
    known = ground.known
    yield sentence(found, known)
    for word, name in (("before", found.before), ("since", found.since)):
        yield f"{word + ':':<8}{known[name].verdicts[0].reason}; {show_command(known[name], results)}"
    yield from _doubts(found, ground)
    judged = [name for name in ground.versions if name in known and known[name].judged]
    for old, new in pairwise(judged):
        if known[old].outcome is not known[new].outcome and new != found.since:
            yield f"another change: {old} {says(known[old])}, {new} {says(known[new])}; --to {new} looks there"


def _doubts(found: Edge, ground: Ground) -> Iterator[str]:
    for name in found.passed:
        reason = ground.absent.get(name) or f"it is {ground.known[name].outcome}"
        yield f"between: {name} says nothing: {reason}"
    tallies = [f"{name} {says(ground.known[name])}" for name in (found.before, found.since)]
    if any("flaky" in text for text in tallies):
        yield f"trials disagree at the edge ({'; '.join(tallies)}): run it again with more --trials"


def _no_change(found: Same, ground: Ground) -> str:
    if not found.judged:
        raise NothingJudgedError(
            f"no version of {ground.cell.family} could be judged in {ground.cell.scenario}; `probe show` says why"
        )
    known = ground.known
    grade = conforms(known[found.judged[-1]])
    word = {True: ", conforms", False: ", does not conform", None: ""}[grade]
    return (
        f"no change: {', '.join(found.judged)}: each {says(known[found.judged[-1]])}{word}; "
        "a change and a change back between them would not be seen: --from and --to look at a part"
    )
