"""The brokers of every cluster, of both engines."""

from __future__ import annotations

BROKERS = (1, 2, 3)
"""Their node ids."""
BOOTSTRAP = 0
"""In the place of a node id: the relay's address that leads to a broker and never moves, as a load balancer's does."""


def next_broker(node: int) -> int:
    """Return the broker that takes over from one that fails: the next one by id, the first after the last."""
    return BROKERS[(BROKERS.index(node) + 1) % len(BROKERS)]
