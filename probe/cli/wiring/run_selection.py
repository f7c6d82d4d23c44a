"""The selectors of a command line, and the plan that they make."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from probe.catalogue.baseline import baseline
from probe.catalogue.brokers import asked_brokers
from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen, broker_line, select_profiles
from probe.catalogue.workloads import select_workloads
from probe.cli.common_options import DEFAULT_BROKER
from probe.cli.console.skips import by_reason, without_role
from probe.cli.wiring.catalogue import choose_clients
from probe.cli.wiring.engines import WIRED
from probe.cli.wiring.request_versions import with_versions
from probe.cli.wiring.standing_still import with_standing
from probe.errors import NothingToRunError, ProbeError
from probe.model import CONTROL, Election, Engine, Profile, Role
from probe.model.engines import DEFAULT_ENGINE, ENGINES
from probe.model.profile import DEFAULT_PROFILE
from probe.model.rack import Rack
from probe.model.security import Security
from probe.model.sweep import Sweep
from probe.planning.plan import Plan, make_plan
from probe.planning.selection import LongWatches, Selection
from probe.scenarios.scenario import Scenario

REASONS = 3
"""Maximum number of reasons in an error line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSelection:
    """The selectors of a command line, as text."""

    clients: Sequence[str] = ()
    chosen: Sequence[Chosen] = ()
    """Clients that are resolved already, in place of `clients`."""
    scenarios: Sequence[str] = ()
    roles: Sequence[Role] = ()
    profiles: Sequence[str] = ()
    properties: Sequence[str] = ()
    engine: Engine = DEFAULT_ENGINE
    brokers: Sequence[str] = ()
    trials: int = 1
    election: Election | None = None
    security: Security | None = None
    rack: Rack | None = None
    seed: int | None = None
    shard: str = "1/1"
    workloads: Sequence[str] = ()
    long_watches: LongWatches = LongWatches.ALL
    baseline: bool = False
    """Only scored scenarios of the baseline, in the roles in which they are scored; `continuous` unless asked."""
    over: Sweep | None = None
    """The axis on which the cells differ; each profile is run with each of its values."""

    def whole(self, results: str = "") -> tuple[Plan, Selection]:
        """Return the plan of these selectors with control cells. ProbeError for a selector without a match.

        NothingToRunError where they leave no cell. With a results folder, cells that the request versions of its trials
        make impossible are skipped.
        """
        try:
            selection = self._selection()
        except CatalogueError as error:
            raise ProbeError(str(error)) from None
        if results:
            selection = with_standing(with_versions(selection, results), results)
        plan = make_plan(selection)
        if not plan.cells:
            raise NothingToRunError(
                f"nothing to run: {_why_nothing(plan, selection)}; select other roles, versions or scenarios"
            )
        return plan, selection

    def _selection(self) -> Selection:
        scenarios = self._scenarios()
        if all(item.name != CONTROL for item in scenarios):
            scenarios = (*select_scenarios([CONTROL]), *scenarios)
        asked = self.brokers or [DEFAULT_BROKER]
        chosen = ENGINES[self.engine]
        exact = asked_brokers(asked) if chosen.real else {}
        over = self.over is not None and not self.over.key
        if not chosen.sets_elections and (over or self.election is not None):
            option = "--over election" if over else "--election"
            raise CatalogueError(
                f"{option} is for the embedded engine only, since real brokers elect by themselves; leave it out"
            )
        return Selection(
            clients=tuple(self.chosen) or choose_clients(self.clients),
            scenarios=scenarios,
            roles=tuple(self.roles) or tuple(Role),
            profiles=self._profiles(),
            own_profiles=not self.profiles,
            engine=self.engine,
            brokers=tuple(exact or dict.fromkeys(broker_line(item) for item in asked)),
            sweep="" if self.over is None else str(self.over),
            trials=self.trials,
            seed=self.seed if self.seed is not None else random.SystemRandom().randrange(2**31),
            shard=parse_shard(self.shard),
            exact=exact,
            unplayed=WIRED[self.engine].unplayed,
            missing_network=_missing_network(scenarios),
            workloads=select_workloads(self.workloads),
            own_workloads=() if self.workloads or self.baseline else self._listed(scenarios),
            long_watches=self.long_watches,
            only_roles=baseline().only_roles if self.baseline else {},
        )

    def _scenarios(self) -> tuple[Scenario, ...]:
        """Return the scenarios of these patterns. CatalogueError if none matches, or none of them is scored."""
        if not self.baseline:
            return select_scenarios(self.scenarios or ["*"])
        scored = baseline().scenarios
        found = select_scenarios(self.scenarios or scored)
        if not any(item.name in scored for item in found):
            names = " ".join(self.scenarios)
            raise CatalogueError(
                f"--baseline --scenario {names}: none is scored; docs/baseline.md lists those that are"
            )
        return tuple(item for item in found if item.name in scored)

    def _profiles(self) -> tuple[Profile, ...]:
        """Return the profiles, in a sweep each with each value. CatalogueError for a thing that is set twice."""
        names = self.profiles or [DEFAULT_PROFILE]
        plain = select_profiles(names, self.properties, self.election, self.security, self.rack)
        over = self.over
        if over is None:
            return plain
        if any(map(over.value, plain)):
            raise CatalogueError(f"--over {over}: {over.name} is set as well; leave the option with its one value out")
        return tuple(over.profile(profile, value) for profile in plain for value in over.values)

    def _listed(self, scenarios: Sequence[Scenario]) -> frozenset[str]:
        """Return the scenarios of the default catalogue: those that no option names in full."""
        return frozenset(item.name for item in scenarios) - frozenset(self.scenarios)


def _missing_network(scenarios: Sequence[Scenario]) -> str:
    """Return why brokers can have no names here, where one of the scenarios needs them; else empty."""
    if not any(variant.by_name for item in scenarios for variant in item.variants):
        return ""
    from probe.names.network import missing_network  # noqa: PLC0415  # it starts processes; few runs need it

    return missing_network()


def _why_nothing(plan: Plan, selection: Selection) -> str:
    """Return the reasons of the skips as text; a shard may have no cells and no skips."""
    reasons = [reason for _, reason in by_reason((str(skip.cell), skip.reason) for skip in plan.skips)]
    reasons += [f"{name}: {reason}" for name, reason in without_role(selection)]
    index, count = selection.shard
    return "; ".join(reasons[:REASONS]) or f"shard {index} of {count} has no cells; all of them are in other shards"


def parse_shard(text: str) -> tuple[int, int]:
    """Parse `I/N` into (I, N). CatalogueError for anything else."""
    first, _, second = text.partition("/")
    if not (first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise CatalogueError(f"--shard {text}: write I/N with 1 <= I <= N, such as 1/4")
    return int(first), int(second)
