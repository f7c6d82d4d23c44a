"""Options of several commands, and the selection that they make."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from probe.catalogue.brokers import asked_brokers
from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import broker_line, select_profiles
from probe.catalogue.workloads import select_workloads
from probe.cli.common_options import DEFAULT_BROKER
from probe.cli.console.skips import by_reason, without_role
from probe.errors import ProbeError
from probe.model import CONTROL, Election, Engine, Profile, Role
from probe.model.engines import DEFAULT_ENGINE, ENGINES
from probe.model.profile import DEFAULT_PROFILE
from probe.model.sweep import Sweep
from probe.planning.plan import Plan, make_plan
from probe.planning.selection import LongWatches, Selection
from probe.scenarios.scenario import Scenario

REASONS = 3
"""Maximum number of reasons in an error line."""

Clients = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        metavar="CLIENT",
        help="Client to select: FAMILY, FAMILY@VERSION, FAMILY@latest, FAMILY@all, 'FAMILY@>=1.2,<2', "
        "FAMILY@path:PLACE (your own build), APPLICATION@VERSION, or all. May be repeated; default: the core versions.",
    ),
]
Profiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        metavar="PROFILE",
        help="Client configuration by name (`probe clients` lists them). May be repeated; default: isolated, or "
        "the scenario's own.",
    ),
]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property", metavar="KEY=VALUE", help="Client setting, with the library's own key. May be repeated."
    ),
]
Brokers = Annotated[
    list[str] | None,
    typer.Option(
        "--broker",
        metavar="VERSION",
        help="Kafka broker line (3.9) or exact version. May be repeated.",
    ),
]
Trials = Annotated[int, typer.Option("--trials", min=1, max=1000, metavar="N", help="Number of trials per cell.")]
ElectionOption = Annotated[
    str | None,
    typer.Option(
        "--election",
        metavar="MS[,MS]",
        help="Duration of a leader election on the embedded engine, in ms; after the comma, how much later the other "
        "brokers report the new leader (default: 0).",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Random seed, to repeat a run; default: random, stored with the run."),
]
Shard = Annotated[
    str, typer.Option("--shard", metavar="I/N", help="Run only part I of N, to share a run between machines.")
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="LIST",
        help="Exit with code 1 if a cell has one of these outcomes; `nonconforming` and `worse` (than in earlier "
        "runs) are accepted, too. Separated by commas.",
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait", metavar="SECONDS", min=0, max=86400, help="Time to wait for another probe that uses the same folder."
    ),
]
TimeBudget = Annotated[
    float | None,
    typer.Option(
        "--time-budget",
        metavar="SECONDS",
        min=1,
        help="Stop after this time. The most informative cells run first, and the next run continues with the rest.",
    ),
]
RepeatBudget = Annotated[
    float | None,
    typer.Option(
        "--repeat-budget",
        metavar="SECONDS",
        min=0,
        help="Time by which further trials, where chance may decide, lengthen the run at most; default: a tenth of it.",
    ),
]
Watch = Annotated[
    float | None,
    typer.Option(
        "--watch",
        metavar="SECONDS",
        min=0.5,
        help="Observe each client for at most this time after the fault. Such trials do not enter the matrix.",
    ),
]


Long = Annotated[
    LongWatches,
    typer.Option(
        "--long-watches",
        help="Versions that run scenarios of a minute or more: all, or core versions and the newest of each line.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSelection:
    """The selectors of a command line, as text."""

    clients: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    roles: Sequence[Role] = ()
    profiles: Sequence[str] = ()
    properties: Sequence[str] = ()
    engine: Engine = DEFAULT_ENGINE
    brokers: Sequence[str] = ()
    trials: int = 1
    election: Election | None = None
    seed: int | None = None
    shard: str = "1/1"
    workloads: Sequence[str] = ()
    long_watches: LongWatches = LongWatches.ALL
    over: Sweep | None = None
    """What the cells differ in; each profile is run with each of its values."""

    def whole(self, results: str = "") -> tuple[Plan, Selection]:
        """Return the plan of these selectors with control cells. ProbeError for a selector without a match.

        With a results folder, cells that the request versions of its trials make impossible are skipped.
        """
        from probe.cli.wiring.request_versions import with_versions  # noqa: PLC0415  # look-ups need options only

        try:
            selection = self._selection()
        except CatalogueError as error:
            raise ProbeError(str(error)) from None
        if results:
            selection = with_versions(selection, results)
        plan = make_plan(selection)
        if not plan.cells:
            raise ProbeError(
                f"nothing to run: {_why_nothing(plan, selection)}; select other roles, versions or scenarios"
            )
        return plan, selection

    def _selection(self) -> Selection:
        from probe.cli.wiring.catalogue import choose_clients  # noqa: PLC0415  # as in `whole`
        from probe.cli.wiring.engines import WIRED  # noqa: PLC0415  # as in `whole`

        scenarios = select_scenarios(self.scenarios or ["*"])
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
            clients=choose_clients(self.clients),
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
            workloads=select_workloads(self.workloads),
            own_workloads=() if self.workloads else self._listed(scenarios),
            long_watches=self.long_watches,
        )

    def _profiles(self) -> tuple[Profile, ...]:
        """Return the profiles, in a sweep each with each value. CatalogueError for a thing that is set twice."""
        plain = select_profiles(self.profiles or [DEFAULT_PROFILE], self.properties, self.election)
        over = self.over
        if over is None:
            return plain
        if any(map(over.value, plain)):
            raise CatalogueError(f"--over {over}: {over.name} is set as well; leave the option with its one value out")
        return tuple(over.profile(profile, value) for profile in plain for value in over.values)

    def _listed(self, scenarios: Sequence[Scenario]) -> frozenset[str]:
        """Return the scenarios of the default catalogue: those that no option names in full."""
        return frozenset(item.name for item in scenarios) - frozenset(self.scenarios)


def _why_nothing(plan: Plan, selection: Selection) -> str:
    """Return the reasons of the skips as text; a shard may have no cells and no skips."""
    reasons = [reason for _, reason in by_reason((str(skip.cell), skip.reason) for skip in plan.skips)]
    reasons += [f"{name}: {reason}" for name, reason in without_role(selection)]
    index, count = selection.shard
    return "; ".join(reasons[:REASONS]) or f"shard {index} of {count} has no cells; all of them are in other shards"


def parse_election(text: str | None) -> Election | None:
    """Parse `MS` or `MS,MS`; None for no text. ProbeError for anything else."""
    try:
        return None if text is None else Election.parse(text)
    except ValueError:
        raise ProbeError(
            f"--election {text}: write the milliseconds from the first failed request to the new leader, such as 250; "
            "if the other brokers report it later, add by how much, such as 250,400; at most 60000 each"
        ) from None


def parse_shard(text: str) -> tuple[int, int]:
    """Parse `I/N` into (I, N). CatalogueError for anything else."""
    first, _, second = text.partition("/")
    if not (first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise CatalogueError(f"--shard {text}: write I/N with 1 <= I <= N, such as 1/4")
    return int(first), int(second)
