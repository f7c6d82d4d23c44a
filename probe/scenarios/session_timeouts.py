"""Broker times that differ between KRaft and ZooKeeper."""

from __future__ import annotations

from probe.model.release_lines import Since, has

KRAFT_SESSION_MS = 9000
"""broker.session.timeout.ms."""
ZOOKEEPER_SESSION_MS = 6000
"""zookeeper.session.timeout.ms: the default up to 2.4, and the setting of the kafka engine."""
KRAFT_LINGERS_MS = 2150
ZOOKEEPER_LINGERS_MS = 10
"""About the medians of real brokers (3.9.2 and 4.3.1, 3.4.1)."""


def session_ms(line: str) -> int:
    """Return the time in ms after which a release line, such as `3.9`, replaces the leaders of a silent broker."""
    return KRAFT_SESSION_MS if has(line, Since.KRAFT_HERE) else ZOOKEEPER_SESSION_MS


def lingers_ms(line: str) -> int:
    """Return the time in ms for which a broker that shuts down keeps serving after its leaders moved.

    With ZooKeeper it closes its connections as soon as the controller has answered ControlledShutdown
    (KafkaServer.controlledShutdown). With KRaft the controller lets it go in the answer to a heartbeat, when the
    heartbeats of all others show that they know of the move (BrokerLifecycleManager;
    BrokerHeartbeatManager.lowestActiveOffset; broker.heartbeat.interval.ms is 2000).
    """
    return KRAFT_LINGERS_MS if has(line, Since.KRAFT_HERE) else ZOOKEEPER_LINGERS_MS
