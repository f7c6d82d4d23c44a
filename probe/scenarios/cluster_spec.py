"""How the cluster of real brokers is built that a scenario is played on, where it is not the usual one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """What is special about a cluster; such a cluster is shared by cells of the same ground only."""

    properties: tuple[tuple[str, str], ...] = ()
    """Of every broker, in Kafka's own words; they go before ours."""
    zookeepers: int = 1
    """So many ZooKeepers, on lines that have them; several are an ensemble."""


DEFAULT_CLUSTER = ClusterSpec()
