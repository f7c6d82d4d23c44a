"""What deeds need of a ZooKeeper ensemble; `probe.engines.kafka.zookeeper.ensemble` implements it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class ZooKeeperStatus(Protocol):
    """What a ZooKeeper says of itself."""

    @property
    def mode(self) -> str:
        """Return `leader` or `follower`; empty while it serves nobody."""

    @property
    def sessions(self) -> int:
        """Return how many connections it has."""


class QuorumProxiesPort(Protocol):
    """The ways between the members of a ZooKeeper ensemble; followers reach their leader by them."""

    @property
    def passed(self) -> Mapping[int, int]:
        """Return how often each member was let in by another."""

    def close_connections(self, source: int, target: int) -> int:
        """Close what is established from one to the other, as if the other had; return how many it was."""

    async def statuses(self) -> Mapping[int, ZooKeeperStatus]:
        """Ask every member that answers who it is."""
