"""The start of a member of a group, in tests that play the driver."""

from __future__ import annotations

from probe.model.profile import SHORT_LIMITS
from probe.ports import Start


def member(instance: str) -> Start:
    """Return a member of group `g` that may read both partitions of topic `t`."""
    return Start(
        instance=instance,
        client_id=instance,
        role="group",
        profile=SHORT_LIMITS,
        properties={},
        bootstrap=[],
        topic="t",
        partitions=[0, 1],
        group="g",
    )
