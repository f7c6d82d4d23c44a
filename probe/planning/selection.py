"""Selectors times catalogue times engine: the cells, and why one of them is not run. Pure.

A look-up needs no more than this of a plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING

from probe.catalogue.selectors import Chosen, own_profile
from probe.catalogue.workloads import listed_workloads
from probe.model import CONTROL, Cell, Engine, Profile, Role, Workload
from probe.model.engines import ENGINES
from probe.model.profile import REFRESHING
from probe.model.security import Security
from probe.model.versions import VersionKey, version_key
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.planning.reasons import of_client, out_of_span, unnamed
from probe.scenarios.absences import with_length
from probe.scenarios.own_profiles import with_own
from probe.scenarios.racks import with_racks
from probe.scenarios.reach import Versions, out_of_reach
from probe.scenarios.scenario import RoleVariant, Scenario

if TYPE_CHECKING:  # the steps of all scenarios, which a look-up does not load
    from probe.scenarios.steps.step import Step


class LongWatches(StrEnum):
    """Client versions that run the scenarios with long observations."""

    ALL = "all"
    CORE = "core"
    """Core versions, and the newest of each release line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The request of a run."""

    clients: Sequence[Chosen]
    scenarios: Sequence[Scenario]
    roles: Sequence[Role]
    profiles: Sequence[Profile]
    own_profiles: bool = False
    """No profile was asked for, so scenarios with one of their own run with that."""
    engine: Engine
    brokers: Sequence[str]
    workloads: Sequence[Workload] = (Workload.CONTINUOUS,)
    own_workloads: Collection[str] = ()
    """Scenarios that also have the workloads that the default catalogue lists for them, since none was asked for."""
    trials: int = 1
    seed: int = 0
    sweep: str = ""
    """The sweep that its trials are part of (`probe.model.sweep`); empty = none."""
    shard: tuple[int, int] = (1, 1)
    exact: Mapping[str, str] = field(default_factory=dict)
    """Real brokers: the exact version of each release line."""
    missing_network: str = ""
    """Why this machine allows no private network, in which brokers have names; empty = it does, or none needs it."""
    unplayed: Mapping[type[Step], str] = field(default_factory=dict)
    """Kinds of steps that the engine cannot do, with the reason."""
    long_watches: LongWatches = LongWatches.ALL
    versions: Mapping[Cell, Versions] = field(default_factory=dict)
    """Request versions observed in stored trials, by control cell."""
    stand_still: Collection[Cell] = ()
    """Cells with a refresh every second whose clients stand still all the same."""
    only_roles: Mapping[str, Collection[Role]] = field(default_factory=dict)
    """The roles of scenarios of which a set names some; other scenarios have all."""

    def variant(self, scenario: Scenario, role: Role) -> RoleVariant | None:
        """Return what a scenario does in a role; None if it does not apply, or the set does not name the role."""
        return scenario.variant(role, self.engine) if self.has_role(scenario.name, role) else None

    def has_role(self, scenario: str, role: Role) -> bool:
        """Return whether a scenario has a role here: all that it applies to, unless a set names some."""
        return role in self.only_roles.get(scenario, tuple(Role))


def with_refreshes(cell: Cell) -> Cell:
    """Return the cell that differs from one in nothing but a refresh of metadata every second."""
    return replace(cell, profile=str(replace(Profile.parse(cell.profile), name=REFRESHING)))


def usual_control(cell: Cell) -> Cell:
    """Return the cell by which request versions are kept: a client sends the same ones whatever its workload is."""
    return replace(cell, scenario=CONTROL, workload=Workload.CONTINUOUS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """A scenario that applies to a role of a client, as one cell."""

    cell: Cell
    chosen: Chosen
    profile: Profile
    """With the settings of the application, if one was chosen."""
    scenario: Scenario
    variant: RoleVariant
    reason: str
    """Why it is not run; empty = it is."""


def combinations(selection: Selection) -> Iterator[Combination]:
    """Yield all combinations of a selection by scenario, client, role, profile, workload and line, in its order."""
    for scenario in selection.scenarios:
        for chosen, role, profile, workload, broker in _instances(selection, scenario):
            part = selection.variant(scenario, role)
            if part is not None:
                part = with_racks(with_length(part, profile), profile)
                family, version = chosen.client.family, chosen.client.version
                cell = Cell(family, version, role, str(profile), scenario.name, selection.engine, broker, workload)
                reason = _reason(cell, chosen, profile, scenario, part, selection)
                yield Combination(
                    cell=cell, chosen=chosen, profile=profile, scenario=scenario, variant=part, reason=reason
                )


def _instances(selection: Selection, scenario: Scenario) -> Iterator[tuple[Chosen, Role, Profile, Workload, str]]:
    for chosen in selection.clients:
        for role in selection.roles:
            for profile, workload in _settings(selection, scenario, chosen, role):
                own = chosen.application.profile(profile, role) if chosen.application else profile
                for broker in selection.brokers:
                    yield chosen, role, own, workload, broker


def _settings(
    selection: Selection, scenario: Scenario, chosen: Chosen, role: Role
) -> Sequence[tuple[Profile, Workload]]:
    """Return profiles and workloads of a scenario; the control cell has those of all scenarios that it stands for."""
    if scenario.name != CONTROL:
        return _own_settings(selection, scenario, chosen, role)
    engine = selection.engine
    every = (item for item in selection.scenarios if item.name != CONTROL and engine in item.engines)
    others = [item for item in every if selection.variant(item, role) is not None]
    found = dict.fromkeys(pair for item in others for pair in _own_settings(selection, item, chosen, role))
    return list(found) or list(product(selection.profiles, selection.workloads))


def _own_settings(
    selection: Selection, scenario: Scenario, chosen: Chosen, role: Role
) -> Sequence[tuple[Profile, Workload]]:
    has_own = scenario.name in selection.own_workloads and not chosen.family.judged_by
    listed = listed_workloads(scenario.name, role) if has_own else ()
    workloads = dict.fromkeys([*selection.workloads, *listed])
    return list(product(_own_profiles(selection, scenario, chosen, role), workloads))


def _own_profiles(selection: Selection, scenario: Scenario, chosen: Chosen, role: Role) -> Sequence[Profile]:
    """Return the scenario's own profile and own keys, with the user's properties, where they mean something here."""
    name = own_profile(scenario.profile, chosen.family, chosen.version.version, role) if selection.own_profiles else ""
    return [with_own(scenario.name, replace(profile, name=name or profile.name)) for profile in selection.profiles]


def _reason(
    cell: Cell, chosen: Chosen, profile: Profile, scenario: Scenario, part: RoleVariant, selection: Selection
) -> str:
    return (
        _reason_to_skip(chosen, cell.role, profile, scenario, cell.engine)
        or of_client(cell, chosen, part)
        or _unplayed(scenario, part, selection, cell.broker)
        or (selection.missing_network if part.by_name else "")
        or unnamed(chosen, part)
        or _too_long(chosen, part, selection.long_watches)
        or out_of_reach(part, selection.versions.get(usual_control(cell), {}))
    )


def _reason_to_skip(chosen: Chosen, role: Role, profile: Profile, scenario: Scenario, engine: Engine) -> str:
    return out_of_span(chosen, role, profile) or _reason_of_scenario(scenario, profile, engine)


def _reason_of_scenario(scenario: Scenario, profile: Profile, engine: Engine) -> str:
    if engine not in scenario.engines:
        return f"{scenario.name} does not run on the {engine} engine"
    if not scenario.security or profile.security is None:
        return ""
    lacks = Security.parse(scenario.security).beyond(profile.security)
    return (
        f"{scenario.name} is about {lacks}, which {profile.security} lacks: --security {scenario.security}"
        if lacks
        else ""
    )


def _unplayed(scenario: Scenario, part: RoleVariant, selection: Selection, broker: str) -> str:
    """Return why the engine cannot run the scenario: a step it cannot do, or a state its brokers never reach."""
    for step in part.steps:
        if reason := selection.unplayed.get(type(step)):
            return f"{scenario.name} does not run on the {selection.engine} engine: {reason}"
    return _off_lines(scenario, version_key(broker), real=ENGINES[selection.engine].real)


def _off_lines(scenario: Scenario, line: VersionKey, *, real: bool) -> str:
    """Return why brokers of a release line are never in this state."""
    spans = [(scenario.since, scenario.until, scenario.since_reason or scenario.until_reason)]
    spans += [(scenario.real_since, scenario.real_until, scenario.real_reason)] if real else []
    for since, until, reason in spans:
        if since and line < version_key(since):
            return f"{scenario.name} needs Kafka {since} or newer: {reason}"
        if until and line > version_key(until):
            return f"{scenario.name} needs Kafka {until} or older: {reason}"
    return ""


def _too_long(chosen: Chosen, part: RoleVariant, who: LongWatches) -> str:
    """Return why a version does not take part in a long observation."""
    plays = who is LongWatches.ALL or part.expectation.watch_ms < LONG_OBSERVATION_MS
    if plays or chosen.family.stands_for_its_line(chosen.version.version):
        return ""
    seconds = part.expectation.watch_ms // 1000
    return f"observed for {seconds} s: only core versions and the newest of each line; --long-watches all adds the rest"
