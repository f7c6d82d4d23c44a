"""The brokers of every cluster, in both engines."""

from __future__ import annotations

BROKERS = (1, 2, 3)
"""Node ids of the brokers."""
BOOTSTRAP = 0
"""Stands for a node id: the relay's address that leads to a broker and never moves, like that of a load balancer."""


def next_broker(node: int) -> int:
    """Return the broker that takes over from a failing one: the next id, and the first one after the last."""
    return BROKERS[(BROKERS.index(node) + 1) % len(BROKERS)]
