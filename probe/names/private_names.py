"""Everything that brokers by name need in a run: a private network, its name server, and the drivers' way out."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from probe.model.endpoint import Endpoint
from probe.names.forwarder import Forwarder
from probe.names.network import PrivateNetwork, private_network
from probe.names.server import NameServer, serving
from probe.names.trial_hosts import TrialHosts, loopback_addresses
from probe.ports import Sink


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateNames:
    """A private network in which relays listen, drivers run, and names lead where trials say."""

    network: PrivateNetwork
    server: NameServer
    forwarder: Forwarder
    addresses: Iterator[str]

    def entered(self, argv: Sequence[str]) -> tuple[str, ...]:
        """Return the command that starts a driver inside."""
        return self.network.entered(argv)

    def reached(self, own: Endpoint) -> Endpoint:
        """Return the address at which drivers inside reach the probe's `own` from now on."""
        self.forwarder.target = own
        host, port = self.network.drivers.getsockname()
        return Endpoint(host=host, port=port)

    @contextlib.contextmanager
    def hosts(self, sink: Sink) -> Iterator[TrialHosts]:
        """Give the brokers of one trial names, which are forgotten at exit."""
        hosts = TrialHosts(self.server, self.network.socket, self.addresses, sink)
        try:
            yield hosts
        finally:
            hosts.close()


@contextlib.asynccontextmanager
async def private_names() -> AsyncIterator[PrivateNames]:
    """Open a private network with a name server; both are gone at exit. RelayError if they do not start."""
    forwarder = Forwarder()
    async with private_network() as network, serving(network.names) as server, forwarder.opened(network.drivers):
        yield PrivateNames(network=network, server=server, forwarder=forwarder, addresses=loopback_addresses())
