"""Options of a run, and the live objects that its trials use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from probe.access import Access
from probe.errors import EngineError
from probe.model import Cell, Client, Profile
from probe.model.security import Security
from probe.ports import EnginePort, Pcapng
from probe.processes.machine import usable_cores
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from probe.scenarios.scenario import RoleVariant

if TYPE_CHECKING:  # these load gRPC and asyncio, and the options are needed without them
    from probe.drivers.host import Host
    from probe.runner.loop_lag import LoopLag

Keep = Callable[[Cell, int, Pcapng], None]
"""Stores the capture of a trial under its number; blocks, and never raises."""


FEW, STARTING_SHARE = 5, 5
"""Clients of a cohort that may start at once: at least `FEW`, and one in `STARTING_SHARE` of the largest cohort."""
EXPECTED_PER_CORE = 40
"""Trials per core that are expected to run at once without `--jobs`: for estimates, for the order of trials, and as the
largest size of cohorts on real brokers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The user's options for a whole run."""

    seed: int = 0
    jobs: int | None = None
    """`--jobs`: most busy trials. Trials that only wait do not count. None: as many as the machine allows."""
    exactly: int | None = None
    """`--exactly`: trials in flight whatever the state of the machine, for benchmarks."""
    in_flight: int | None = None
    """Most trials including those that only wait, if the limit of open files requires it."""
    watch_ms: int | None = None
    """`--watch`: longest observation, in milliseconds."""
    capture: bool = False
    """`--capture`: keep the bytes that pass through relays."""
    plain_names: bool = False
    """Clients, topics and groups have names that do not say which library it is."""
    stop_at: float | None = None
    """`--time-budget`: end of all trials, on the monotonic clock. A trial that would not end by then never starts."""

    repeat_budget_s: float | None = None
    """`--repeat-budget`: seconds by which further trials may lengthen the run. None = a share of the run."""
    as_planned: bool = False
    """Cells get the trials of the plan alone, whatever these show: who asked decides on further ones."""

    @property
    def expected_jobs(self) -> int:
        """Number of trials that probably run at once; the largest size of cohorts on real brokers."""
        expected = self.exactly or self.jobs or EXPECTED_PER_CORE * usable_cores()
        return expected if self.in_flight is None else min(expected, self.in_flight)

    @property
    def starting_in_cohorts(self) -> int:
        """Number of clients of real brokers that may start and warm up at the same time.

        A start costs CPU, observation does not. A lower number would limit how many trials run at once.
        """
        return max(FEW, self.expected_jobs // STARTING_SHARE)


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
    accesses: Mapping[Security, Access] = field(default_factory=dict, repr=False)
    """Access of clients to listeners with security, with the credentials of this run."""
    by_name: Tools | None = None
    """The same in a private network, where clients find brokers by name. None: no cell of the run needs it."""

    def of(self, variant: RoleVariant) -> Tools:
        """Return the tools with which a variant of a scenario is played. EngineError if the run has none for it."""
        if not variant.by_name:
            return self
        if self.by_name is None:
            raise EngineError("this run has no private network, in which brokers have names")
        return self.by_name

    def finish(self, client: Client) -> None:
        """End the driver processes of a client version that is no longer needed, each when its last instance ends."""
        self.host.finish(client)
        if self.by_name is not None:
            self.by_name.finish(client)

    def access(self, profile: Profile, cluster: ClusterSpec = DEFAULT_CLUSTER) -> Access | None:
        """Return how clients with a profile reach brokers; None = by PLAINTEXT. Raises KeyError."""
        if profile.security is None:
            return None
        return replace(self.accesses[profile.security], session_ms=cluster.session_ms)
