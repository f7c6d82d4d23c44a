"""Settings of group members that brokers decide in the new group protocol (KIP-848). Pure, standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from probe.model.cell import Cell
from probe.model.profile import CONSUMER_PROTOCOL, Profile
from probe.model.release_lines import Since, has

HEARTBEAT_MS, SESSION_MS = 5000, 45_000
"""Defaults of group.consumer.heartbeat.interval.ms and group.consumer.session.timeout.ms (GroupCoordinatorConfig.java
of 4.4.0), which both engines keep."""
_SET_BY_BROKERS = MappingProxyType({"heartbeat_ms": str(HEARTBEAT_MS), "session_timeout_ms": str(SESSION_MS)})


def joins_anew(cell: Cell) -> bool:
    """Return whether members join by ConsumerGroupHeartbeat: profile and brokers have the new group protocol."""
    return Profile.parse(cell.profile).name == CONSUMER_PROTOCOL and has(cell.broker, Since.NEW_GROUPS)


def effective(cell: Cell, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Return a client's settings by the names of driver.proto, with what brokers set in place of the library's own."""
    return {**settings, **_SET_BY_BROKERS} if settings and joins_anew(cell) else settings
