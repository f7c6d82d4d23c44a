"""The questions of role admin, by the text of its events (proto/driver.proto, LISTED)."""

from __future__ import annotations

from probe.model.events import App

CREATE = "create"
"""Whether a topic could be created. Only the controller knows."""
CLUSTER, GROUP = "cluster", "group"
"""Descriptions of the cluster and of the group."""


def is_offset(item: App) -> bool:
    """Return whether an event of an admin is about the offset of a partition. The other questions name none."""
    return item.text not in {CREATE, CLUSTER, GROUP}
