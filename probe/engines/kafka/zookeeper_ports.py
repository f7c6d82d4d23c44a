"""Interfaces of a ZooKeeper ensemble for fault actions; `probe.engines.kafka.zookeeper.ensemble` implements them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class ZooKeeperStatus(Protocol):
    """Status of a ZooKeeper server as it reports it."""

    @property
    def mode(self) -> str:
        """Return `leader` or `follower`; empty while it does not serve."""

    @property
    def sessions(self) -> int:
        """Return the number of its connections."""


class QuorumProxiesPort(Protocol):
    """Proxies between the members of a ZooKeeper ensemble; followers reach their leader by them."""

    @property
    def passed(self) -> Mapping[int, int]:
        """Return the number of connections per source member that reached another member."""

    def close_connections(self, source: int, target: int) -> int:
        """Close the connections from source to target, as if the target closed them; return their number."""

    async def statuses(self) -> Mapping[int, ZooKeeperStatus]:
        """Return the status of every member that answers."""
