"""Group protocols, and the settings of members that brokers decide in the new ones. Pure, standard library only."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from probe.model.cell import Cell
from probe.model.profile import CONSUMER_PROTOCOL, STREAMS_PROTOCOL, Profile
from probe.model.release_lines import Since, has


class GroupProtocol(Enum):
    """The way in which members of a group get their partitions."""

    CLASSIC = "the classic group protocol, in which a member assigns"
    CONSUMER = "the new group protocol (KIP-848), in which the coordinator assigns"
    STREAMS = "the group protocol of Kafka Streams (KIP-1071), in which the coordinator assigns tasks"


NEW_PROTOCOLS: Mapping[str, tuple[GroupProtocol, Since]] = MappingProxyType(
    {
        CONSUMER_PROTOCOL: (GroupProtocol.CONSUMER, Since.NEW_GROUPS),
        STREAMS_PROTOCOL: (GroupProtocol.STREAMS, Since.STREAMS_GROUPS),
    }
)
"""Profiles whose members join by a heartbeat, their protocol, and since when brokers have it."""
HEARTBEAT_MS, SESSION_MS = 5000, 45_000
"""Defaults of group.consumer.heartbeat.interval.ms and group.consumer.session.timeout.ms, and of the same settings of
group.streams (GroupCoordinatorConfig.java of 4.4.0), which both engines keep."""
_SET_BY_BROKERS = MappingProxyType({"heartbeat_ms": str(HEARTBEAT_MS), "session_timeout_ms": str(SESSION_MS)})


def group_protocol(cell: Cell) -> GroupProtocol:
    """Return the protocol of a cell's members: a new one only where profile and brokers have it."""
    protocol, since = NEW_PROTOCOLS.get(Profile.parse(cell.profile).name, (GroupProtocol.CLASSIC, None))
    return protocol if since is not None and has(cell.broker, since) else GroupProtocol.CLASSIC


def joins_anew(cell: Cell) -> bool:
    """Return whether members join by a heartbeat, as in the new protocols."""
    return group_protocol(cell) is not GroupProtocol.CLASSIC


def effective(cell: Cell, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Return a client's settings by the names of driver.proto, with what brokers set in place of the library's own."""
    return {**settings, **_SET_BY_BROKERS} if settings and joins_anew(cell) else settings
