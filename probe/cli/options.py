"""Options that several commands share, and what they select."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from probe.catalogue.brokers import asked_brokers
from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen, broker_line, select_profiles
from probe.cli.compose import choose_clients
from probe.engines.kafka_deeds import UNPLAYED
from probe.errors import ProbeError
from probe.model import CONTROL, Election, Engine, Role
from probe.plan import LongWatches, Plan, Selection, make_plan
from probe.runner import Options

RESULTS = "results"
DEFAULT_BROKER = "3.9"
DEFAULT_JOBS = Options().jobs

Clients = Annotated[
    list[str] | None,
    typer.Option(
        "--client",
        help="FAMILY, FAMILY@VERSION, FAMILY@latest, FAMILY@all, 'FAMILY@>=1.2,<2', FAMILY@path:PLACE (a build of your "
        "own), all (of every family), or APPLICATION@VERSION. Repeats.",
    ),
]
Scenarios = Annotated[list[str] | None, typer.Option("--scenario", help="Glob over scenario names. Repeats.")]
Roles = Annotated[list[Role] | None, typer.Option("--role", help="Repeats; default: all.")]
Profiles = Annotated[
    list[str] | None, typer.Option("--profile", help="Client configuration. Repeats; default: isolated.")
]
Properties = Annotated[
    list[str] | None, typer.Option("--property", help="KEY=VALUE in the library's own words. Repeats.")
]
EngineOption = Annotated[Engine, typer.Option("--engine", help="Who plays the brokers.")]
Brokers = Annotated[list[str] | None, typer.Option("--broker", help="Kafka line (3.9) or exact version. Repeats.")]
Trials = Annotated[int, typer.Option("--trials", min=1, max=1000, help="Trials per cell.")]
ElectionOption = Annotated[
    str | None,
    typer.Option(
        "--election",
        metavar="MS[,MS]",
        help="First hit to new leader, ms; from there until all brokers name it (0).",
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Makes a run repeatable; default: drawn and recorded.")]
Shard = Annotated[str, typer.Option("--shard", help="I/N: this machine's part of the plan.")]
Results = Annotated[str, typer.Option("--results", help="Folder of runs.")]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on", help="What makes the exit code 1: outcomes, `nonconforming`, `worse` than before; comma separated."
    ),
]
Wait = Annotated[
    float, typer.Option("--wait", min=0, max=86400, help="Seconds to wait for another probe in the same folder.")
]
TimeBudget = Annotated[
    float | None,
    typer.Option(
        "--time-budget", min=1, help="Seconds for all of it: what tells most comes first, the next run goes on."
    ),
]
Jobs = Annotated[
    int,
    typer.Option("--jobs", min=1, max=500, help="Trials at once at the most; who waits for a time-out counts less."),
]
Watch = Annotated[
    float | None, typer.Option("--watch", min=0.5, help="Seconds; a shortened watch never enters the matrix.")
]


Long = Annotated[
    LongWatches,
    typer.Option(
        "--long-watches",
        help="Scenarios of a minute and more: for all, or for core versions and the newest of each line.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The selectors of a command line."""

    clients: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    roles: Sequence[Role] = ()
    profiles: Sequence[str] = ()
    properties: Sequence[str] = ()
    engine: Engine = Engine.EMBEDDED
    brokers: Sequence[str] = ()
    trials: int = 1
    election: Election | None = None
    seed: int | None = None
    shard: str = "1/1"
    long_watches: LongWatches = LongWatches.ALL

    def whole(self) -> tuple[Plan, Selection]:
        """Return the plan of these selectors, control cells added. ProbeError for whatever does not exist."""
        try:
            selection = self._selection()
        except CatalogueError as error:
            raise ProbeError(str(error)) from None
        plan = make_plan(selection)
        if not plan.cells:
            reason = plan.skips[0].reason if plan.skips else "no scenario is played in these roles"
            raise ProbeError(f"nothing to run: {reason}; widen the selectors, `probe plan` shows what they give")
        return plan, selection

    def _selection(self) -> Selection:
        scenarios = select_scenarios(self.scenarios or ["*"])
        if all(item.name != CONTROL for item in scenarios):
            scenarios = (*select_scenarios([CONTROL]), *scenarios)
        asked = self.brokers or [DEFAULT_BROKER]
        real = self.engine is Engine.KAFKA
        exact = asked_brokers(asked) if real else {}
        if real and self.election is not None:
            raise CatalogueError("--election is the embedded engine's: real brokers take what they take")
        return Selection(
            clients=self._clients(),
            scenarios=scenarios,
            roles=tuple(self.roles) or tuple(Role),
            profiles=select_profiles(self.profiles or ["isolated"], self.properties, self.election),
            engine=self.engine,
            brokers=tuple(exact or dict.fromkeys(broker_line(item) for item in asked)),
            trials=self.trials,
            seed=self.seed if self.seed is not None else random.SystemRandom().randrange(2**31),
            shard=parse_shard(self.shard),
            exact=exact,
            unplayed=UNPLAYED if real else {},
            long_watches=self.long_watches,
        )

    def _clients(self) -> tuple[Chosen, ...]:
        return choose_clients(self.clients)


def parse_election(text: str | None) -> Election | None:
    """Return what `MS` or `MS,MS` stands for; ProbeError if it is not of that form."""
    try:
        return None if text is None else Election.parse(text)
    except ValueError:
        raise ProbeError(
            f"--election {text}: write the milliseconds from the first hit to the new leader, such as 250, and, if "
            "some brokers name it later, those from there, such as 250,400; at the most 60000 each"
        ) from None


def parse_shard(text: str) -> tuple[int, int]:
    """Return (I, N) of `I/N`; CatalogueError if it is not of that form."""
    first, _, second = text.partition("/")
    if not (first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise CatalogueError(f"--shard {text}: write I/N with 1 <= I <= N, such as 1/4")
    return int(first), int(second)
