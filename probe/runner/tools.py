"""Options of a run, and the live objects that its trials use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from probe.model import Cell, Client
from probe.ports import EnginePort, Pcapng

if TYPE_CHECKING:  # these load gRPC and asyncio, and the options are needed without them
    from probe.drivers.host import Host
    from probe.runner.loop_lag import LoopLag

Keep = Callable[[Cell, int, Pcapng], None]
"""Stores the capture of a trial under its number; blocks, and never raises."""


FEW, STARTING_SHARE = 5, 5
"""Trials that may start at once: at least `FEW`, and one in `STARTING_SHARE` of `--jobs`. A start takes 2 to 3 s, and
most trials rest 10 s later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The user's options for a whole run."""

    seed: int = 0
    jobs: int = 24
    """Most busy trials; fewer start while the machine is overloaded. Trials that only wait do not count."""
    in_flight: int | None = None
    """Most trials including those that only wait, if the limit of open files requires it."""
    watch_ms: int | None = None
    """`--watch`: longest observation, in milliseconds."""
    capture: bool = False
    """`--capture`: keep the bytes that pass through relays."""
    stop_at: float | None = None
    """`--time-budget`: end of all trials, on the monotonic clock. A trial that would not end by then never starts."""

    repeat_budget_s: float | None = None
    """`--repeat-budget`: seconds by which further trials may lengthen the run. None = a share of the run."""

    @property
    def starting(self) -> int:
        """Number of trials that may start and warm up at the same time.

        A start costs CPU, observation does not. A lower number would limit how many trials run at once.
        """
        return max(FEW, self.jobs // STARTING_SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The live objects that trials use."""

    engine: EnginePort
    host: Host
    lag: LoopLag
    artifacts: Mapping[Client, str] = field(default_factory=dict)
    """The artifact of each client version, with its digest."""
    keep: Keep | None = None
    """Receives captures, if the engine's relays make them."""
