"""Cluster spec: how the cluster of real brokers of a scenario is built, where not by default."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """Settings of a cluster that differ from the default; only cells with an equal spec share a cluster."""

    properties: tuple[tuple[str, str], ...] = ()
    """Broker configuration with Kafka's own keys, for every broker; it overrides the settings of the engine."""
    zookeepers: int = 1
    """Number of ZooKeeper servers, on release lines that have them; several form an ensemble."""
    session_ms: int = 0
    """`connections.max.reauth.ms` of the listener for clients (KIP-368), on either engine; 0 = sessions do not end."""
    own_tls: bool = False
    """Real brokers end TLS themselves, and the relay passes its bytes through (docs/security.md#the-relay)."""
    counts_requests: bool = False
    """Real brokers log each request, so that those of each client can be counted; that costs them time."""
    racks: bool = False
    """Each broker has a rack of its own, and leaders send readers to the follower in their rack (KIP-392), on either
    engine."""


DEFAULT_CLUSTER = ClusterSpec()
