"""How long a cluster needs to miss a broker that is gone without a word (SEMANTICS 6.1)."""

from __future__ import annotations

KRAFT_SINCE = (3, 3)
"""KRaft is ready for production from 3.3 on (KIP-833); older lines are taken to run on ZooKeeper."""
KRAFT_SESSION_MS = 9000
"""broker.session.timeout.ms."""
ZOOKEEPER_SESSION_MS = 6000
"""zookeeper.session.timeout.ms as it was up to 2.4, and as the kafka engine sets it."""


def session_ms(line: str) -> int:
    """Return after how long a Kafka line, such as `3.9`, elects other leaders in the place of a silent broker."""
    major, minor = (int(part) for part in line.split(".")[:2])
    return KRAFT_SESSION_MS if (major, minor) >= KRAFT_SINCE else ZOOKEEPER_SESSION_MS
