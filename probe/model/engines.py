"""Abilities of the engines that play the brokers: one row each. Code asks for an ability, never for a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe.model.cell import Engine
from probe.model.paces import OWN, Pace


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineInfo:
    """An engine."""

    title: str
    """The name of its brokers in sentences."""
    real: bool = False
    """Its brokers are Apache Kafka: they reach a state by themselves, and scenarios may have other steps for them."""
    cohorts: bool = False
    """Trials share a cluster and its fault."""
    sets_elections: bool = False
    """The duration of an election is set (`--election`), not measured."""
    waits_for_phase: bool = False
    """The fault of a trial waits for a moment of its client's own interval."""
    fills_log: bool = False
    """Records before the fault come so quickly that readers are far beyond what is written after it."""
    refuses_old_requests: bool = False
    """Request versions that Kafka 4.0 refuses are served on no line."""
    harmless_election: bool = False
    """Its trials have an election before the fault (docs/engines.md#harmless-election)."""
    counts_cost: bool = False
    """Many partitions and clients can have one fault, whose cost is measured (docs/cost.md)."""
    streams_groups: bool = False
    """Its brokers have Streams groups (KIP-1071), on release lines that have them."""
    exact_jobs: bool = False
    """A number of trials at once can be asked for exactly."""
    order: int
    """Its rank: where several engines have an answer, pages that show one show that of the lowest."""
    pace: Pace | None = None
    """The pace of every role. None = its brokers are shared, and each role has its `shared_pace`."""
    beat_ms: int
    """Interval of work in histories that do not name theirs (`Header.beat_ms`)."""


ENGINES: Mapping[Engine, EngineInfo] = MappingProxyType(
    {
        Engine.EMBEDDED: EngineInfo(
            title="the embedded engine",
            sets_elections=True,
            waits_for_phase=True,
            fills_log=True,
            refuses_old_requests=True,
            harmless_election=True,
            counts_cost=True,
            exact_jobs=True,
            order=1,
            pace=OWN,
            beat_ms=100,
        ),
        Engine.KAFKA: EngineInfo(
            title="real brokers",
            real=True,
            cohorts=True,
            harmless_election=True,
            counts_cost=True,
            streams_groups=True,
            order=0,
            beat_ms=250,
        ),
    }
)
DEFAULT_ENGINE = Engine.EMBEDDED
"""The engine where none is named."""
BY_ORDER: tuple[Engine, ...] = tuple(sorted(ENGINES, key=lambda engine: ENGINES[engine].order))
REAL: tuple[Engine, ...] = tuple(engine for engine, info in ENGINES.items() if info.real)
"""Engines whose brokers are Apache Kafka."""


def is_default(engine: Engine) -> bool:
    """Return whether a command needs not name this engine."""
    return engine is DEFAULT_ENGINE
