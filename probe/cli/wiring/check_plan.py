"""The questions of `probe check`: the same cells of a working copy and of a release, planned once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from probe.catalogue.families import CatalogueError, is_local
from probe.catalogue.files import data_file
from probe.catalogue.known_results import Expectation, contrasted, expected, read_known
from probe.catalogue.name_hints import client_hint
from probe.catalogue.selectors import LOCAL, Chosen
from probe.cells.comparison import CHANCE
from probe.cells.harm import ChanceKey
from probe.cells.trends import Question, question
from probe.cli.wiring.catalogue import choose_clients, families
from probe.cli.wiring.line_releases import newest_release
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import NothingToRunError, ProbeError
from probe.model import CONTROL, Cell, Election, Profile, Role
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.planning.plan import Plan, Planned
from probe.planning.selection import Selection

USAGE = "name your working copy as FAMILY@path:DIR, such as kafka-python@path:."
PROFILES = (DEFAULT_PROFILE, OWN_DEFAULTS)
WATCH_MS = 60_000
"""Longest observation with the library's own defaults, under which some clients stand still for minutes."""
SCREEN = 4
"""Trials of the build in the screen, beside one of the release: 15 of 16 regressions that fail in half of the trials
differ there."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The two clients that are compared."""

    release: Chosen
    build: Chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of the catalogue that is played."""

    scenarios: Sequence[str] = ()
    """Patterns; empty = the baseline and the scenarios of the family's known results."""
    roles: Sequence[Role] = ()
    profiles: Sequence[str] = ()
    """Empty = `PROFILES`."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing narrows the check, so that what it does not play does not exist."""
        return not (self.scenarios or self.roles or self.profiles)


@dataclass(slots=True)
class Questions:
    """The planned cells of both sides."""

    planned: dict[Cell, Planned] = field(default_factory=dict)
    seed: int = 0
    races: frozenset[ChanceKey] = frozenset()
    """Cells of known results of which only some trials show anything."""

    def planner(self, cell: Cell) -> tuple[Plan, Selection]:
        """Return the plan of a cell with its control cell (`fresh_trials.Planner`)."""
        one = self.planned[cell]
        control = self.planned.get(one.steady)
        items = tuple(map(_limited, (one,) if control is None or control is one else (control, one)))
        clients = tuple({item.chosen.client: item.chosen for item in items}.values())
        return Plan(items, ()), Selection(
            clients=clients, scenarios=(), roles=(), profiles=(), engine=cell.engine, brokers=(), seed=self.seed
        )

    def pairs(self, sides: Sides) -> dict[Question, tuple[Cell, Cell]]:
        """Return the cells of the release and of the build, by what they have in common; a cell alone is none."""
        found: dict[Question, dict[str, Cell]] = {}
        for cell in self.planned:
            found.setdefault(question(cell, "version"), {})[cell.version] = cell
        versions = [one.client.version for one in (sides.release, sides.build)]
        return {
            key: (mine[versions[0]], mine[versions[1]]) for key, mine in found.items() if mine.keys() >= {*versions}
        }

    def trials_of(self, cell: Cell) -> int:
        """Return the trials of a cell in the screen, or those that decide where a race is known."""
        is_race = cell.scenario != CONTROL and (cell.family, cell.scenario, cell.role, cell.engine) in self.races
        return CHANCE if is_race else SCREEN if is_local(cell.version) else 1


def sides_of(text: str, against: str | None) -> Sides:
    """Return the working copy and the release of a command line, by default the newest listed one.

    ProbeError for anything else, ProvisionError where the working copy or the release cannot be found.
    """
    name, _, place = text.partition("@")
    known = families()
    if not place.startswith(LOCAL):
        raise ProbeError(f"check {text}: {USAGE}")
    if name not in known:
        raise ProbeError(f"check {text}: there is no client family {name}; {client_hint(name, [*known])}")
    family = known[name]
    try:
        (build,) = choose_clients([text])
        releases = choose_clients([newest_release(f"{name}@{against or family.newest.version}")])
    except CatalogueError as error:
        raise ProbeError(str(error).replace("--client", "check")) from None
    if len(releases) != 1 or is_local(releases[0].client.version):
        raise ProbeError(f"--against {against}: name one release of {name}, such as {family.newest.version}")
    return Sides(releases[0], build)


def questions(sides: Sides, asked: Scope) -> Questions:
    """Return the cells of both sides. ProbeError if there is nothing to play."""
    found = Questions()
    refused: list[NothingToRunError] = []
    plans = [*_catalogue(sides, asked, refused), *_known(sides, asked, found)]
    for plan, selection in plans:
        found.seed = found.seed or selection.seed
        for item in plan.cells:
            found.planned.setdefault(item.cell, item)
    if not found.pairs(sides):
        if refused:
            raise refused[0]
        raise ProbeError(
            f"check {sides.build.client}: nothing to play on both sides; select other roles, profiles or scenarios"
        )
    return found


def _catalogue(sides: Sides, asked: Scope, refused: list[NothingToRunError]) -> Iterator[tuple[Plan, Selection]]:
    """Yield the plans of the baseline, or of the named scenarios, per profile. ProbeError for an unknown name.

    `refused` takes the reasons of profiles without a cell on the default release line: known results have theirs.
    """
    for profile in asked.profiles or PROFILES:
        selection = RunSelection(
            chosen=_both(sides),
            scenarios=asked.scenarios,
            roles=asked.roles,
            profiles=() if profile == DEFAULT_PROFILE else (profile,),
            baseline=not asked.scenarios,
        )
        try:
            yield selection.whole()
        except NothingToRunError as error:
            refused.append(error)


def _known(sides: Sides, asked: Scope, found: Questions) -> Iterator[tuple[Plan, Selection]]:
    """Yield the plans of the family's known results with their settings, and note which of them are races."""
    name = sides.build.family.family
    entries = [
        one
        for known in read_known(data_file("known_results.toml"))
        for one in (expected(known), contrasted(known))
        if one.client.partition("@")[0] == name and one.engine is DEFAULT_ENGINE and _is_asked(one, asked)
    ]
    for one in {_configuration(one): one for one in entries}.values():
        selection = _selection(sides, one)
        try:
            plan, whole = selection.whole()
        except ProbeError:  # neither side can play it: a role or a profile that these versions lack
            continue
        yield plan, whole
    found.races = frozenset((name, one.scenario, one.role, one.engine) for one in entries if one.claim.is_race)


def _is_asked(one: Expectation, asked: Scope) -> bool:
    return (
        (not asked.scenarios or any(fnmatchcase(one.scenario, glob) for glob in asked.scenarios))
        and (not asked.roles or one.role in asked.roles)
        and (not asked.profiles or one.profile in asked.profiles)
    )


def _configuration(one: Expectation) -> tuple[object, ...]:
    return one.scenario, one.role, one.profile, one.properties, one.election, one.broker, one.workload


def _selection(sides: Sides, one: Expectation) -> RunSelection:
    return RunSelection(
        chosen=_both(sides),
        scenarios=[one.scenario],
        roles=[one.role],
        profiles=[one.profile],
        properties=one.properties,
        brokers=[one.broker],
        election=None if one.election is None else Election(one.election),
        workloads=[str(one.workload)],
    )


def _both(sides: Sides) -> tuple[Chosen, ...]:
    return sides.release, sides.build


def is_watched_briefly(cell: Cell) -> bool:
    """Return whether a cell has the library's own defaults, and is watched for `WATCH_MS` at most."""
    return Profile.parse(cell.profile).name == OWN_DEFAULTS


def _limited(item: Planned) -> Planned:
    return replace(item, at_most_ms=WATCH_MS) if is_watched_briefly(item.cell) else item
