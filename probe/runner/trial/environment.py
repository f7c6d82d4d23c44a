"""Environment of a trial, and its slot among starting trials."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from probe.access import Access
from probe.model import History, Subject
from probe.planning.plan import Planned
from probe.ports import Cluster, Start, Tap
from probe.runner.tools import Options, Tools
from probe.runner.trial.own_certificate import CertificateFile
from probe.runner.trial.setup import make_start
from probe.scenarios.steps.handshakes import RenewClientCertificate
from probe.scenarios.steps.logins import LeaveTokenServer
from probe.scenarios.steps.step import Step
from probe.tokens.server import TokenServer

SLOW_S = 10.0
"""A client that starts for longer waits for something, so that others may start meanwhile."""


class StartingSlot:
    """A slot among the trials that start, taken once and released once."""

    def __init__(self, starting: asyncio.Semaphore, dawdles: Callable[[], None]) -> None:
        """Prepare a slot; `dawdles` is called if its holder takes long to start."""
        self._starting, self._dawdles = starting, dawdles
        self._slow: asyncio.TimerHandle | None = None
        self._taken = self._held = False

    async def take(self) -> None:
        """Wait for the slot, unless it was taken before."""
        if not self._taken:
            self._taken = True
            await self._starting.acquire()
            self._held = True
            self._slow = asyncio.get_running_loop().call_later(SLOW_S, self._take_long)

    def release(self) -> None:
        """Let another trial start."""
        if self._slow is not None:
            self._slow.cancel()
        if self._held:
            self._held = False
            self._starting.release()

    def _take_long(self) -> None:
        self.release()
        self._dawdles()


@dataclass(frozen=True, slots=True)
class TrialEnvironment:
    """Cluster, tap, tools and options of one trial."""

    cluster: Cluster
    tap: Tap
    tools: Tools
    options: Options
    slot: StartingSlot
    downgrade: Callable[[], None]
    """To be called when a trial only waits for its client's next reaction."""
    ready: Callable[[Callable[[], History]], None]
    """To be called when a trial is ready for its fault, with what returns its history so far."""
    alone: bool
    young: bool = False
    """The client does not bear the harmless election, so there is none."""
    tokens: TokenServer | None = None
    """The trial's token server, where clients log in by tokens."""
    certificate: CertificateFile | None = None
    """The trial's own file of the client's certificate, where it is renewed."""

    def start_of(self, item: Planned, subject: Subject) -> Start:
        """Return the start message of a cell's instance at these brokers."""
        return make_start(item, subject, self.tap, self.access(item), nodes=self.cluster.nodes)

    def access(self, item: Planned) -> Access | None:
        """Return how the clients of a cell reach the brokers; None = by PLAINTEXT."""
        access = self.tools.access(item.profile, item.variant.cluster)
        if access is not None and self.tokens is not None:
            access = replace(access, token_endpoint=self.tokens.url)
        if access is not None and self.certificate is not None:
            access = replace(access, certificate_file=str(self.certificate.path))
        return access

    async def inject(self, steps: Sequence[Step], election_ms: int | None) -> None:
        """Inject the fault, at the token server and in the client's file, too.

        The event `fault_on` has been emitted when this returns.
        """
        if self.tokens is not None and any(isinstance(step, LeaveTokenServer) for step in steps):
            self.tokens.leave()
        if self.certificate is not None and any(isinstance(step, RenewClientCertificate) for step in steps):
            self.certificate.renew()
        await self.cluster.inject(steps, election_ms)

    async def revert(self) -> None:
        """Revert the fault. The event `healed` has been emitted when this returns."""
        if self.tokens is not None:
            self.tokens.come_back()
        await self.cluster.revert()

    def release_start(self) -> None:
        """Let others start: this trial only waits until its metadata is old enough for the fault."""
        self.slot.release()
