"""Selectors times catalogue times engine: the cells, and why one of them is not run. Pure.

A look-up needs no more than this of a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from probe.catalogue.selectors import ONLY_FOR, Chosen
from probe.catalogue.workloads import unworked
from probe.model import CONTROL, Cell, Engine, Profile, Reaction, Role, Workload
from probe.model.versions import VersionKey, version_key
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.protocol.apis import API_VERSIONS
from probe.protocol.names import api_name, error_code
from probe.scenarios.absences import with_length
from probe.scenarios.reach import Versions, out_of_reach
from probe.scenarios.scenario import RoleVariant, Scenario

if TYPE_CHECKING:  # the steps of all scenarios, which a look-up does not load
    from probe.scenarios.steps.step import Step


REFUSED_SINCE = "4.0"
"""Release line from which brokers refuse Produce below 3 and Fetch below 4 (KIP-896), as the embedded engine does."""


class LongWatches(StrEnum):
    """Client versions that run the scenarios with long observations."""

    ALL = "all"
    CORE = "core"
    """Core versions, and the newest of each release line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a run was asked to run."""

    clients: Sequence[Chosen]
    scenarios: Sequence[Scenario]
    roles: Sequence[Role]
    profiles: Sequence[Profile]
    own_profiles: bool = False
    """No profile was asked for, so scenarios with one of their own run with that."""
    engine: Engine
    brokers: Sequence[str]
    workloads: Sequence[Workload] = (Workload.CONTINUOUS,)
    trials: int = 1
    seed: int = 0
    shard: tuple[int, int] = (1, 1)
    exact: Mapping[str, str] = field(default_factory=dict)
    """Real brokers: the exact version of each release line."""
    unplayed: Mapping[type[Step], str] = field(default_factory=dict)
    """Kinds of steps that the engine cannot do, with the reason."""
    long_watches: LongWatches = LongWatches.ALL
    versions: Mapping[Cell, Versions] = field(default_factory=dict)
    """Request versions observed in stored trials, by control cell."""


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
    """Yield all combinations of a selection by scenario, client, role, profile, line and workload, in its order."""
    for scenario in selection.scenarios:
        for chosen, role, profile, broker, workload in _instances(selection, scenario):
            part = scenario.variant(role, selection.engine)
            if part is not None:
                part = with_length(part, profile)
                family, version = chosen.client.family, chosen.client.version
                cell = Cell(family, version, role, str(profile), scenario.name, selection.engine, broker, workload)
                reason = _reason(cell, chosen, profile, scenario, part, selection)
                yield Combination(
                    cell=cell, chosen=chosen, profile=profile, scenario=scenario, variant=part, reason=reason
                )


def _instances(selection: Selection, scenario: Scenario) -> Iterator[tuple[Chosen, Role, Profile, str, Workload]]:
    for chosen in selection.clients:
        for role in selection.roles:
            for profile in _profiles(selection, scenario, chosen, role):
                own = chosen.application.profile(profile, role) if chosen.application else profile
                for broker in selection.brokers:
                    for workload in selection.workloads:
                        yield chosen, role, own, broker, workload


def _profiles(selection: Selection, scenario: Scenario, chosen: Chosen, role: Role) -> Sequence[Profile]:
    """Return the profiles of a scenario; the control cell has those of all scenarios that it stands for."""
    if not selection.own_profiles:
        return selection.profiles
    if scenario.name != CONTROL:
        return _own_profiles(selection, scenario, chosen, role)
    engine = selection.engine
    every = (item for item in selection.scenarios if item.name != CONTROL and engine in item.engines)
    others = [item for item in every if item.variant(role, engine) is not None]
    found = (profile for item in others for profile in _own_profiles(selection, item, chosen, role))
    return list(dict.fromkeys(found)) if others else selection.profiles


def _own_profiles(selection: Selection, scenario: Scenario, chosen: Chosen, role: Role) -> Sequence[Profile]:
    """Return the scenario's own profile, with the user's properties, where it means something for this client."""
    name = scenario.profile
    span = chosen.family.profiles.get(name)
    if span is None or not span.covers(chosen.version.version) or role not in ONLY_FOR.get(name, tuple(Role)):
        return selection.profiles
    return [replace(profile, name=name) for profile in selection.profiles]


def _reason(
    cell: Cell, chosen: Chosen, profile: Profile, scenario: Scenario, part: RoleVariant, selection: Selection
) -> str:
    return (
        _reason_to_skip(chosen, cell.role, profile, scenario, cell.engine)
        or unworked(chosen, cell)
        or _acks(cell, chosen, profile, part)
        or _unobserved_error(chosen, part)
        or _not_absent(chosen, part)
        or _unasked(chosen, cell.role, part)
        or _too_old(cell, chosen)
        or _unplayed(scenario, part, selection, cell.broker)
        or _unnamed(chosen, part)
        or _too_long(chosen, part, selection.long_watches)
        or out_of_reach(part, selection.versions.get(replace(cell, scenario=CONTROL), {}))
    )


def _reason_to_skip(chosen: Chosen, role: Role, profile: Profile, scenario: Scenario, engine: Engine) -> str:
    family, version = chosen.family, chosen.version.version
    if chosen.application is not None and not chosen.application.plays(role):
        return f"{chosen.application} has no role {role}"
    for kind, name, spans in (("role", str(role), family.roles), ("profile", profile.name, family.profiles)):
        span = spans.get(name)
        if span is None:
            return f"{family.family} has no {kind} {name}"
        if not span.covers(version):
            known = " ".join(
                text for text in (span.since and f"since {span.since}", span.until and f"until {span.until}") if text
            )
            return f"{family.family} has {kind} {name} {known}" + (f": {span.reason}" if span.reason else "")
    if role not in ONLY_FOR.get(profile.name, tuple(Role)):
        return f"profile {profile.name} does not apply to role {role}"
    if engine not in scenario.engines:
        return f"{scenario.name} does not run on the {engine} engine"
    return ""


def _unobserved_error(chosen: Chosen, part: RoleVariant) -> str:
    """Return why it cannot be observed whether a required error was reported."""
    if chosen.family.judged_by and part.expectation.expects is Reaction.SURFACE:
        return f"{chosen.client.family} is an application that reports no single error, which is required here"
    return ""


def _not_absent(chosen: Chosen, part: RoleVariant) -> str:
    """Return why a client's application cannot be made absent."""
    if chosen.family.judged_by and part.absence is not None:
        return f"{chosen.client.family} is an application with a process and a handler of its own, out of reach here"
    return ""


def _unasked(chosen: Chosen, role: Role, part: RoleVariant) -> str:
    """Return why an instance never sends the request that the scenario is about."""
    for item in chosen.family.behaviour.unasked:
        if item.role == role and part.expectation.apis == (item.api,) and item.covers(chosen.version.version):
            return f"{chosen.client.family} as {role} does not call {api_name(item.api)} here: {item.reason}"
    return ""


def _unnamed(chosen: Chosen, part: RoleVariant) -> str:
    """Return why brokers cannot tell a client that its connection leads to another node than it means."""
    span, play = chosen.family.behaviour.names_node, part.expectation
    if (play.apis, play.codes) != ((API_VERSIONS,), (error_code("REBOOTSTRAP_REQUIRED"),)):
        return ""
    if span is not None and span.covers(chosen.version.version):
        return ""
    since = f" before {span.since}" if span is not None else ""
    return f"{chosen.client.family}{since} does not say in ApiVersions which node it means (KIP-1242)"


def _too_old(cell: Cell, chosen: Chosen) -> str:
    """Return why the embedded engine cannot be asked: of this line, only real brokers serve such old requests."""
    span = chosen.family.behaviour.old_requests
    if span is None or cell.engine is not Engine.EMBEDDED or not span.covers(cell.version):
        return ""
    if version_key(cell.broker) >= version_key(REFUSED_SINCE):
        return ""
    return f"before Kafka {REFUSED_SINCE} only real brokers (--engine kafka) serve {span.reason}"


def _unplayed(scenario: Scenario, part: RoleVariant, selection: Selection, broker: str) -> str:
    """Return why the engine cannot run the scenario: a step it cannot do, or a state its brokers never reach."""
    for step in part.steps:
        if reason := selection.unplayed.get(type(step)):
            return f"{scenario.name} does not run on the {selection.engine} engine: {reason}"
    return _off_lines(scenario, version_key(broker), real=selection.engine is Engine.KAFKA)


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


def _acks(cell: Cell, chosen: Chosen, profile: Profile, part: RoleVariant) -> str:
    """Return why a client does not meet what only acks=all meets. A profile or property may set acks itself."""
    if not part.acks_all or cell.role is not Role.PRODUCER:
        return ""
    if profile.name == "acks-1":
        return "profile acks-1 waits for no other replica"
    span = chosen.family.behaviour.acks_one
    configured = profile.name == "idempotent" or any("acks" in key.lower() for key, _ in profile.properties)
    if configured or span is None or not span.covers(cell.version):
        return ""
    return f"{cell.family} writes with acks=1, which waits for no other replica; profile idempotent asks for all"
