"""The engine of a run: one entry per engine, whose parts are loaded once they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from probe.engines.kafka.faults.unsupported_steps import UNSUPPORTED_STEPS
from probe.model import Engine
from probe.model.engines import DEFAULT_ENGINE
from probe.planning.plan import Plan
from probe.scenarios.steps.step import Step

if TYPE_CHECKING:  # these load asyncio, gRPC and uvloop, and a plan needs the reasons of its skips only
    from probe.cli.wiring.composition import MakeHosts
    from probe.ports import EnginePort
    from probe.runner import Options
    from probe.runner.schedule.pool import Drain


class BuiltEngine(Protocol):
    """An engine that is ready for trials."""

    @property
    def port(self) -> EnginePort:
        """Return what the trials use."""

    def describe(self) -> dict[str, str]:
        """Return what the description of a run says about the brokers; empty if nothing differs between runs."""

    def limit(self, options: Options, open_files: int, clients: int) -> Options:
        """Return the options with trials in flight within what this machine has, for this number of client versions.

        `open_files` is the limit of open files. ExhaustedError if not one trial fits.
        """

    def drain(self) -> Drain | None:
        """Return what runs all trials of a plan; None: each on a cluster of its own."""

    @property
    def by_name(self) -> Callable[[MakeHosts], EnginePort] | None:
        """Return what gives the engine with brokers that have names; None: they have none."""


class Build(Protocol):
    """Builds an engine."""

    def __call__(self, plan: Plan, *, capture: bool) -> BuiltEngine:
        """Build the engine for a plan; with `capture` relays keep the traffic. ProbeError or ToolError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineEntry:
    """An engine of the command line."""

    build: Build
    unplayed: Mapping[type[Step], str] = field(default_factory=dict)
    """Steps that it cannot play, with the reason."""


def _fake_clusters(plan: Plan, *, capture: bool) -> BuiltEngine:  # noqa: ARG001  # one signature for all engines
    from probe.cli.wiring.composition import fake_clusters  # noqa: PLC0415  # loads gRPC

    return fake_clusters(capture=capture)


def _real_brokers(plan: Plan, *, capture: bool) -> BuiltEngine:
    from probe.cli.console.streams import say  # noqa: PLC0415  # with the next line
    from probe.cli.wiring.kafka_engine import RealBrokers, exact_versions, kafka_engine  # noqa: PLC0415  # loads kazoo

    return RealBrokers(kafka_engine(exact_versions(plan), say, capture=capture))


WIRED: Mapping[Engine, EngineEntry] = MappingProxyType(
    {
        Engine.EMBEDDED: EngineEntry(build=_fake_clusters),
        Engine.KAFKA: EngineEntry(build=_real_brokers, unplayed=UNSUPPORTED_STEPS),
    }
)


def built(plan: Plan, *, capture: bool = False) -> BuiltEngine:
    """Build the engine of a plan, whose cells are all of one. ProbeError or ToolError if that fails."""
    engine = next((item.cell.engine for item in plan.cells), DEFAULT_ENGINE)
    return WIRED[engine].build(plan, capture=capture)
