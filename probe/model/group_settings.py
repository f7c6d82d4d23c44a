"""Settings of group members that brokers decide in the new group protocols. Pure, standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from probe.model.cell import Cell
from probe.model.profile import CONSUMER_PROTOCOL, STREAMS_PROTOCOL, Profile
from probe.model.release_lines import Since, has

HEARTBEAT_MS, SESSION_MS = 5000, 45_000
"""Defaults of group.consumer.heartbeat.interval.ms and group.consumer.session.timeout.ms, and of the same settings of
group.streams (GroupCoordinatorConfig.java of 4.4.0), which both engines keep."""
NEW_PROTOCOLS = MappingProxyType({CONSUMER_PROTOCOL: Since.NEW_GROUPS, STREAMS_PROTOCOL: Since.STREAMS_GROUPS})
"""Profiles whose members join by a heartbeat, and since when brokers let them (KIP-848, KIP-1071)."""
_SET_BY_BROKERS = MappingProxyType({"heartbeat_ms": str(HEARTBEAT_MS), "session_timeout_ms": str(SESSION_MS)})


def joins_anew(cell: Cell) -> bool:
    """Return whether members join by a heartbeat: profile and brokers have a new group protocol."""
    since = NEW_PROTOCOLS.get(Profile.parse(cell.profile).name)
    return since is not None and has(cell.broker, since)


def effective(cell: Cell, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Return a client's settings by the names of driver.proto, with what brokers set in place of the library's own."""
    return {**settings, **_SET_BY_BROKERS} if settings and joins_anew(cell) else settings
