"""What takes long in one way with KRaft and in another with ZooKeeper (SEMANTICS 6.1)."""

from __future__ import annotations

KRAFT_SINCE = (3, 5)
"""KRaft is ready for production from 3.3 on (KIP-833), and migration to it came with 3.4 as a preview (KIP-866): what
ran these two lines was mostly on ZooKeeper still, as is the 3.4 of the kafka engine."""
KRAFT_SESSION_MS = 9000
"""broker.session.timeout.ms."""
ZOOKEEPER_SESSION_MS = 6000
"""zookeeper.session.timeout.ms as it was up to 2.4, and as the kafka engine sets it."""
KRAFT_LINGERS_MS = 2150
ZOOKEEPER_LINGERS_MS = 10
"""Medians of real brokers: 3.9.2 2360 ms, 4.3.1 2140 ms, 3.4.1 11 ms."""


def session_ms(line: str) -> int:
    """Return after how long a Kafka line, such as `3.9`, elects other leaders in the place of a silent broker."""
    return KRAFT_SESSION_MS if _is_kraft(line) else ZOOKEEPER_SESSION_MS


def lingers_ms(line: str) -> int:
    """Return how long a broker that shuts down goes on serving, connections and all, after its leaders moved.

    With ZooKeeper it closes them as soon as the controller has answered ControlledShutdown
    (KafkaServer.controlledShutdown). With KRaft the controller lets it go in the answer to a heartbeat, when the
    heartbeats of all others have shown that they know of the move (BrokerLifecycleManager;
    BrokerHeartbeatManager.lowestActiveOffset; broker.heartbeat.interval.ms is 2000).
    """
    return KRAFT_LINGERS_MS if _is_kraft(line) else ZOOKEEPER_LINGERS_MS


def _is_kraft(line: str) -> bool:
    major, minor = (int(variant) for variant in line.split(".")[:2])
    return (major, minor) >= KRAFT_SINCE
