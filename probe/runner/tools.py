"""What a run works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from probe.drivers.host import Host
from probe.model import Cell, Client
from probe.ports import EnginePort, Pcapng
from probe.runner.loop_lag import LoopLag

Keep = Callable[[Cell, int, Pcapng], None]
"""Stores what was captured of a trial, by its number; blocks, and never raises."""


FEW, STARTING_SHARE = 5, 5
"""A trial starts and warms up for some 2 to 3 s, and mostly rests after another 10."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user asked of the whole run."""

    seed: int = 0
    jobs: int = 24
    """Busy trials at the most; fewer start while the machine is crowded. Those that only wait are not counted."""
    in_flight: int | None = None
    """Trials at the most, those that only wait included, where the limit of open files allows no more."""
    watch_ms: int | None = None
    """`--watch`: stop watching then, come what may."""
    capture: bool = False
    """`--capture`: keep what passes through relays."""
    stop_at: float | None = None
    """`--time-budget`: when trials must have ended, of the monotonic clock; what would not end by then never starts."""

    @property
    def starting(self) -> int:
        """Return how many trials may start and warm up at the same time.

        Starting costs CPU, watching does not. Too few, and they are what limits how many are in flight.
        """
        return max(FEW, self.jobs // STARTING_SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The live parts."""

    engine: EnginePort
    host: Host
    lag: LoopLag
    artifacts: Mapping[Client, str] = field(default_factory=dict)
    """What each client version was obtained as, with its digest."""
    keep: Keep | None = None
    """Takes captures, where the engine's relays make them."""
