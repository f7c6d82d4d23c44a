"""Plan of a run: the cells that run, with what each needs, and the skips with reasons. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from probe.catalogue.selectors import Chosen
from probe.model import CONTROL, Cell, Expectation, Limits, Profile, Reaction
from probe.model.engines import ENGINES
from probe.model.paces import Pace
from probe.model.profile import OWN_DEFAULTS
from probe.planning.loads import LOADS, Load
from probe.planning.paces import pace_of
from probe.planning.selection import Combination, Selection, combinations, with_refreshes
from probe.planning.variants import expectation_of, variant_of
from probe.scenarios.scenario import RoleVariant, Scenario

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
    sweep: str = ""
    """The sweep that it is part of; empty = none."""
    at_full_pace: bool = False
    """A client that is observed to the end works as often as around the fault until then."""
    at_most_ms: int | None = None
    """Longest observation of this cell; None = as long as the verdict needs."""

    def limit_ms(self, watch_ms: int | None) -> int | None:
        """Return the longest observation in a run in which each takes at most `watch_ms`; None = no limit."""
        return min((one for one in (self.at_most_ms, watch_ms) if one is not None), default=None)

    def watch_ms(self, watch_ms: int | None = None) -> int:
        """Return the usual observation within that limit, in milliseconds."""
        limit = self.limit_ms(watch_ms)
        return self.expectation.watch_ms if limit is None else min(limit, self.expectation.watch_ms)

    @property
    def is_control(self) -> bool:
        """Whether this is a control cell: the one that others of its client are compared with."""
        return self.cell == self.steady

    @property
    def pace(self) -> Pace:
        """Intervals of the instance's operations, and of the records for it.

        Where many begin together, those of both partitions do, so that one request may have both.
        """
        pace = replace(pace_of(self.cell.engine, self.cell.role, self.expectation), eased=not self.at_full_pace)
        return replace(pace, bystander_ms=0) if self.load.batch > 1 else pace

    @property
    def load(self) -> Load:
        """The number of operations that begin together, and their keys."""
        return LOADS[self.cell.workload]

    @property
    def start_ms(self) -> int:
        """Interval at which the first instance starts; it is that around the fault where it may meet it at once."""
        at_once = self.variant.at_start or self.variant.second_instance
        return self.pace.work_ms if at_once else self.pace.warm_ms

    @property
    def name_cache_ms(self) -> int:
        """Time for which the client's runtime keeps addresses of brokers; 0 where these have numbers."""
        return _name_cache_ms(self.chosen, self.variant)

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
    return WARM_UP_S + seconds_of(item.expectation, item.limit_ms(watch_ms))


def seconds_of(play: Expectation, watch_ms: int | None) -> float:
    """Return about how long one trial is observed: most recover early and are then observed for storms."""
    watch = play.watch_ms / 1000 if watch_ms is None else min(play.watch_ms, watch_ms) / 1000
    return watch if play.expects is Reaction.NOTHING else (watch + 8) / 2


def settled_after_s(item: Planned) -> float:
    """Return the seconds after its fault from which a trial mostly waits."""
    if ENGINES[item.cell.engine].cohorts:
        return FOUND_S + min(ELECTION_S, (item.expectation.election_ms or 0) / 1000)
    return SETTLED_AFTER_S


def make_plan(selection: Selection) -> Plan:
    """Return the plan of a selection; the same selection always gives the same plan."""
    each: dict[Cell, Planned] = {}  # two applications may be the same client and configuration
    skips: list[Skip] = []
    for item in combinations(selection):
        if item.reason:
            skips.append(Skip(item.cell, item.reason))
        else:
            each[item.cell] = _planned(item, selection)
    return Plan(_order(list(each.values()), selection), tuple(skips), selection.exact)


def _planned(item: Combination, selection: Selection) -> Planned:
    """Plan a cell. In a sweep the control cells, one per value, get one trial each."""
    cell, chosen, profile = item.cell, item.chosen, item.profile
    behaviour = chosen.family.behaviour
    limits = Limits(
        back_off_ms=chosen.family.limit(behaviour.back_off_ms, cell.version),
        min_discovery_age_ms=chosen.family.limit(behaviour.min_discovery_age_ms, cell.version),
        to_the_end=profile.name == OWN_DEFAULTS,
        refresh_helps=with_refreshes(cell) not in selection.stand_still,
    )
    part = variant_of(item.variant, profile, cell.engine, cell.broker)
    expectation = expectation_of(part, profile, cell.broker)
    expectation = replace(expectation, prompt_ms=expectation.prompt_ms + _name_cache_ms(chosen, part))
    sweep = selection.sweep
    trials = 1 if sweep and cell.scenario == CONTROL else selection.trials
    return Planned(cell, chosen, profile, item.scenario, part, expectation, limits, trials, sweep)


def _name_cache_ms(chosen: Chosen, part: RoleVariant) -> int:
    kept = chosen.family.behaviour.name_cache_ms if part.by_name else ()
    return chosen.family.limit(kept, chosen.version.version)


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
