"""Plan of a run: selectors times catalogue times engine gives the cells that run, and the skips with reasons. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from probe.catalogue.selectors import ONLY_FOR, Chosen
from probe.model import CONTROL, Cell, Engine, Expectation, Limits, Profile, Reaction, Role
from probe.model.versions import version_key
from probe.planning.paces import LONG_OBSERVATION_MS, Pace, pace_of
from probe.planning.variants import expectation_of, variant_of
from probe.protocol.names import api_name
from probe.scenarios.reach import Versions, out_of_reach
from probe.scenarios.scenario import RoleVariant, Scenario
from probe.scenarios.steps.partitions import Step

WARM_UP_S = 3.0
"""Approximate time of a client's start and warm-up; for estimates only."""

SETTLED_AFTER_S = 10.0
"""Time after which an observed trial mostly waits for time-outs, so that another may be busy."""
FOUND_S = 4.0
"""The same on real brokers after an election: a whole cohort reacts to one fault then."""
ELECTION_S = 10.0
"""Longest part of an election that counts as busy; other trials can start in the rest."""
WAITING_PER_JOB = 1
"""Waiting trials per job: they cost less than busy ones, but not nothing. One event loop cannot keep up with more."""


class LongWatches(StrEnum):
    """Client versions that run the scenarios with long observations."""

    ALL = "all"
    CORE = "core"
    """Core versions, and the newest of each release line."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A cell with everything that is needed to run it."""

    cell: Cell
    chosen: Chosen
    profile: Profile
    scenario: Scenario
    variant: RoleVariant
    expectation: Expectation
    limits: Limits
    trials: int

    @property
    def is_control(self) -> bool:
        """Whether this is a control cell: the one that others of its client are compared with."""
        return self.cell == self.steady

    @property
    def pace(self) -> Pace:
        """Intervals of the instance's operations, and of the records for it."""
        return pace_of(self.cell.engine, self.cell.role, self.expectation)

    @property
    def start_ms(self) -> int:
        """Interval at which the first instance starts; it is that around the fault where it may meet it at once."""
        at_once = self.variant.at_start or self.variant.second_instance
        return self.pace.work_ms if at_once else self.pace.warm_ms

    @property
    def steady(self) -> Cell:
        """The control cell that this one is compared with."""
        return replace(self.cell, scenario=CONTROL)


@dataclass(frozen=True, slots=True)
class Skip:
    """A combination that is not run."""

    cell: Cell
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The cells of a run in order: control cells first, the rest shuffled by the seed."""

    cells: tuple[Planned, ...]
    skips: tuple[Skip, ...]
    exact: Mapping[str, str] = field(default_factory=dict)
    """Real brokers: the exact version of each release line."""

    def estimate_s(self, jobs: int, watch_ms: int | None) -> float:
        """Return about how many seconds the plan takes with `jobs` trials at once; waiting trials count less."""
        spans = self.spans_s(watch_ms)
        return max(self.busy_s(jobs, watch_ms), sum(spans) / (jobs * (1 + WAITING_PER_JOB)), max(spans, default=0.0))

    def busy_s(self, jobs: int, watch_ms: int | None = None) -> float:
        """Return about how many seconds trials are busy; waiting for time-outs is left out."""
        return sum(min(span, WARM_UP_S + SETTLED_AFTER_S) for span in self.spans_s(watch_ms)) / jobs

    def spans_s(self, watch_ms: int | None) -> list[float]:
        """Return about how many seconds each trial takes."""
        return [trial_s(item, watch_ms) for item in self.cells for _ in range(item.trials)]


def trial_s(item: Planned, watch_ms: int | None) -> float:
    """Return about how many seconds one trial of a cell takes."""
    return WARM_UP_S + seconds_of(item.expectation, watch_ms)


def seconds_of(play: Expectation, watch_ms: int | None) -> float:
    """Return about how long one trial is observed: most recover early and are then observed for storms."""
    watch = play.watch_ms / 1000 if watch_ms is None else min(play.watch_ms, watch_ms) / 1000
    return watch if play.expects is Reaction.NOTHING else (watch + 8) / 2


def settled_after_s(item: Planned) -> float:
    """Return the seconds after its fault from which a trial mostly waits."""
    if item.cell.engine is Engine.KAFKA:
        return FOUND_S + min(ELECTION_S, (item.expectation.election_ms or 0) / 1000)
    return SETTLED_AFTER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a run was asked to run."""

    clients: Sequence[Chosen]
    scenarios: Sequence[Scenario]
    roles: Sequence[Role]
    profiles: Sequence[Profile]
    engine: Engine
    brokers: Sequence[str]
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


def make_plan(selection: Selection) -> Plan:
    """Return the plan of a selection; the same selection always gives the same plan."""
    cells: list[Planned] = []
    skips: list[Skip] = []
    for scenario in selection.scenarios:
        for chosen, role, profile, broker in _combinations(selection):
            family, version = chosen.client.family, chosen.client.version
            cell = Cell(family, version, role, str(profile), scenario.name, selection.engine, broker)
            part = scenario.variant(role, selection.engine)
            if part is None:
                continue
            reason = (
                _reason_to_skip(chosen, role, profile, scenario, selection.engine)
                or _acks(cell, chosen, profile, part)
                or _unobserved_error(chosen, part)
                or _unasked(chosen, role, part)
                or _unplayed(scenario, part, selection, broker)
                or _too_long(chosen, part, selection.long_watches)
                or out_of_reach(part, selection.versions.get(replace(cell, scenario=CONTROL), {}))
            )
            if reason:
                skips.append(Skip(cell, reason))
            else:
                cells.append(_planned(cell, chosen, profile, scenario, part, selection.trials))
    each = {item.cell: item for item in cells}  # two applications may be the same client and configuration
    return Plan(_order(list(each.values()), selection), tuple(skips), selection.exact)


def _combinations(selection: Selection) -> Iterable[tuple[Chosen, Role, Profile, str]]:
    return (
        (chosen, role, chosen.application.profile(profile, role) if chosen.application else profile, broker)
        for chosen in selection.clients
        for role in selection.roles
        for profile in selection.profiles
        for broker in selection.brokers
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


def _unasked(chosen: Chosen, role: Role, part: RoleVariant) -> str:
    """Return why an instance never sends the request that the scenario is about."""
    for item in chosen.family.behaviour.unasked:
        if item.role == role and part.expectation.apis == (item.api,) and item.covers(chosen.version.version):
            return f"{chosen.client.family} as {role} does not call {api_name(item.api)} here: {item.reason}"
    return ""


def _unplayed(scenario: Scenario, part: RoleVariant, selection: Selection, broker: str) -> str:
    """Return why the engine cannot run the scenario: a step it cannot do, or a state its brokers never reach."""
    for step in part.steps:
        if reason := selection.unplayed.get(type(step)):
            return f"{scenario.name} does not run on the {selection.engine} engine: {reason}"
    if selection.engine is not Engine.KAFKA:
        return ""
    line, since, until = version_key(broker), scenario.real_since, scenario.real_until
    if since and line < version_key(since):
        return f"{scenario.name} needs Kafka {since} or newer: {scenario.real_reason}"
    if until and line > version_key(until):
        return f"{scenario.name} needs Kafka {until} or older: {scenario.real_reason}"
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


def _planned(
    cell: Cell, chosen: Chosen, profile: Profile, scenario: Scenario, part: RoleVariant, trials: int
) -> Planned:
    behaviour = chosen.family.behaviour
    limits = Limits(
        back_off_ms=chosen.family.limit(behaviour.back_off_ms, cell.version),
        min_discovery_age_ms=chosen.family.limit(behaviour.min_discovery_age_ms, cell.version),
    )
    part = variant_of(part, profile, cell.engine, cell.broker)
    return Planned(cell, chosen, profile, scenario, part, expectation_of(part, profile, cell.broker), limits, trials)


def _order(cells: list[Planned], selection: Selection) -> tuple[Planned, ...]:
    """Put control cells first; shuffle the rest by the seed within a scenario; keep the cells of this shard.

    All cells of one client and role are in one shard, since they share one control cell.
    """
    index, shards = selection.shard
    keys = sorted({(item.cell.family, item.cell.version, item.cell.role, item.cell.broker) for item in cells})
    mine = {key for place, key in enumerate(keys) if place % shards == index - 1}
    kept = [item for item in cells if (item.cell.family, item.cell.version, item.cell.role, item.cell.broker) in mine]
    random.Random(selection.seed).shuffle(kept)  # noqa: S311  # order of work, not a secret
    return tuple(sorted(kept, key=lambda item: item.cell.scenario != CONTROL))
