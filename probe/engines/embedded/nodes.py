"""The brokers of a fake cluster."""

from __future__ import annotations

from probe.model.cluster import Nodes

NODES = Nodes((1, 2, 3))
"""What go_shim/internal/fake/topology calls them."""
