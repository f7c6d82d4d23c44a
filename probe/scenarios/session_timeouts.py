"""Broker times that differ between KRaft and ZooKeeper."""

from __future__ import annotations

KRAFT_SINCE = (3, 5)
"""First release line that is taken to be KRaft. KRaft is ready for production from 3.3 on (KIP-833). Migration to it
came with 3.4 as a preview (KIP-866), so most clusters of these two lines were still on ZooKeeper, as is the 3.4 of the
kafka engine."""
KRAFT_SESSION_MS = 9000
"""broker.session.timeout.ms."""
ZOOKEEPER_SESSION_MS = 6000
"""zookeeper.session.timeout.ms: the default up to 2.4, and the setting of the kafka engine."""
KRAFT_LINGERS_MS = 2150
ZOOKEEPER_LINGERS_MS = 10
"""About the medians of real brokers (3.9.2 and 4.3.1, 3.4.1)."""


def session_ms(line: str) -> int:
    """Return the time in ms after which a release line, such as `3.9`, replaces the leaders of a silent broker."""
    return KRAFT_SESSION_MS if _is_kraft(line) else ZOOKEEPER_SESSION_MS


def lingers_ms(line: str) -> int:
    """Return the time in ms for which a broker that shuts down keeps serving after its leaders moved.

    With ZooKeeper it closes its connections as soon as the controller has answered ControlledShutdown
    (KafkaServer.controlledShutdown). With KRaft the controller lets it go in the answer to a heartbeat, when the
    heartbeats of all others show that they know of the move (BrokerLifecycleManager;
    BrokerHeartbeatManager.lowestActiveOffset; broker.heartbeat.interval.ms is 2000).
    """
    return KRAFT_LINGERS_MS if _is_kraft(line) else ZOOKEEPER_LINGERS_MS


def _is_kraft(line: str) -> bool:
    major, minor = (int(variant) for variant in line.split(".")[:2])
    return (major, minor) >= KRAFT_SINCE
