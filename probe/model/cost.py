"""The cost of one failover: what a trial with many partitions or clients measured, as plain values.

Requests are those that the relay read from clients from the fault on, until the last partition of the last client
works again, or until the end of the observation where one does not. Periodic work of the clients is in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from probe.model.engines import DEFAULT_ENGINE
from probe.model.scale import Scale

METADATA = "Metadata"
HANDSHAKES = frozenset({"ApiVersions", "SaslHandshake", "SaslAuthenticate"})
"""Requests that a connection begins with."""
WORK = frozenset({"Produce"})
"""Requests that a client sends without a fault as well, at the interval of its application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCost:
    """One client of a trial."""

    client_id: str
    outcome: str
    """The verdict's, on the partition that the fault hit first."""
    reason: str
    conforms: bool | None
    requests: Mapping[str, int]
    """By API."""
    bytes: int
    """Of requests and answers."""
    connections: int
    """Connections that were accepted, and on which the client sent something."""
    peak_per_s: int
    """Most requests in a second, Produce apart."""
    works_ms: int | None
    """From the fault to the first success at the new leader of its last partition. None: one did not work again."""
    working: int
    """Partitions that worked again."""

    @property
    def handshakes(self) -> int:
        """Requests that begin connections."""
        return sum(self.requests.get(name, 0) for name in HANDSHAKES)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointCost:
    """One trial: a scale, and what it cost."""

    client: str
    role: str
    profile: str
    scenario: str
    engine: str = str(DEFAULT_ENGINE)
    """Sweeps that were stored before real brokers were measured do not name it."""
    broker: str
    scale: Scale
    interval_ms: int
    """Interval between two records of a client to a partition."""
    clients: tuple[ClientCost, ...] = ()
    window_ms: int = 0
    """Length of the time in which costs count."""
    peak_per_s: int = 0
    """Most requests of all clients in a second, Produce apart."""
    after_per_s: float = 0.0
    """Requests a second of all clients, Produce apart, once all partitions work: a storm that outlives its cause."""
    memory_mb: float
    """Most resident memory of the clients' processes together, in the window."""
    cpu_s: float
    """CPU of the clients' processes in the window, in seconds."""
    processes: int
    lag_ms: int
    """Longest stall of the harness in the window. Long ones delay answers, and clients with them."""
    differences: tuple[str, ...] = ()
    """Requests that the relay and the brokers counted differently, over the whole trial."""
    problems: tuple[str, ...] = ()
    """Failures of the harness. Such a point is shown, and enters neither growth nor estimates."""

    @property
    def requests(self) -> Mapping[str, int]:
        """Requests of all clients, by API, the most frequent first."""
        found: Counter[str] = Counter()
        for client in self.clients:
            found.update(client.requests)
        return dict(found.most_common())

    @property
    def metadata(self) -> int:
        """Metadata requests of all clients."""
        return self.requests.get(METADATA, 0)

    @property
    def connections(self) -> int:
        """Connections of all clients."""
        return sum(client.connections for client in self.clients)

    @property
    def handshakes(self) -> int:
        """Handshake requests of all clients."""
        return sum(client.handshakes for client in self.clients)

    @property
    def bytes(self) -> int:
        """Bytes of all clients, of requests and answers."""
        return sum(client.bytes for client in self.clients)

    @property
    def outcomes(self) -> Mapping[str, int]:
        """Clients by outcome, the most frequent first."""
        return dict(Counter(client.outcome for client in self.clients).most_common())

    @property
    def works_ms(self) -> int | None:
        """From the fault until all partitions of all clients work. None: one did not."""
        times = [client.works_ms for client in self.clients]
        known = [one for one in times if one is not None]
        return max(known) if known and len(known) == len(times) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRun:
    """A stored sweep of cost."""

    run_id: str
    seed: int
    points: tuple[PointCost, ...] = field(default=())
