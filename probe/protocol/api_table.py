"""Who answers each API, and what it is about: one row per API that the program knows to treat.

Sources: the handlers of Kafka's KafkaApis and of its coordinators. An API without a row (administration, requests
between brokers) is answered by any broker and is about nothing that a trial looks at.

Readers differ in which rows they take: `rules` and `judged` say so, each difference with its reason in `apart`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum

from probe.model.group_settings import GroupProtocol
from probe.protocol.names import api_key


class CoordinatorKind(IntEnum):
    """The key types of FindCoordinator (`FindCoordinatorRequest.CoordinatorType`)."""

    GROUP = 0
    TRANSACTION = 1
    SHARE = 2


class AnsweredBy(Enum):
    """The broker that serves an API; any other refuses."""

    LEADER = "the leader of the partition"
    COORDINATOR = "the coordinator of the key"
    CONTROLLER = "the controller: brokers with ZooKeeper refuse, KRaft brokers forward"
    ANY = "any broker"


class Purpose(Enum):
    """The use of an API to a client."""

    WORK = "work"
    LOG = "work on the log of a partition: reads, writes, questions about it"
    DISCOVERY = "finding a leader or a coordinator"
    HANDSHAKE = "before the work on a connection, or in addition to it"
    LOG_IN = "handshake by which a client logs in"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiInfo:
    """An API."""

    name: str
    by: AnsweredBy
    kind: CoordinatorKind | None = None
    """Of the coordinator that answers it, or of the key that it is about."""
    purpose: Purpose = Purpose.WORK
    own: bool = True
    """Whether producers, readers or members send it for their own work. An admin's request about the object is not."""
    reads: bool = False
    """Whether it is what a connection of a reader is for."""
    rules: bool = True
    """Whether faults of brokers concern it as an API of its object: scenarios have errors for it."""
    judged: bool = True
    """Whether the verdict takes it as a request about its object."""
    apart: str = ""
    """Why readers differ about it; empty where they do not."""
    protocol: GroupProtocol | None = None
    """The only group protocol whose members send it; None where members of any do, or none does."""

    @property
    def key(self) -> int:
        """The API key."""
        return api_key(self.name)


def _led(name: str, purpose: Purpose = Purpose.LOG, **more: bool | str) -> ApiInfo:
    return ApiInfo(name=name, by=AnsweredBy.LEADER, purpose=purpose, **more)  # type: ignore[arg-type]  # its other fields


def _coordinated(kind: CoordinatorKind, *names: str, **more: bool | str | GroupProtocol) -> tuple[ApiInfo, ...]:
    return tuple(
        ApiInfo(name=name, by=AnsweredBy.COORDINATOR, kind=kind, **more)  # type: ignore[arg-type]  # its other fields
        for name in names
    )


def _any(purpose: Purpose, *names: str) -> tuple[ApiInfo, ...]:
    return tuple(ApiInfo(name=name, by=AnsweredBy.ANY, purpose=purpose) for name in names)


_GROUP, _TRANSACTION, _SHARE = CoordinatorKind
_ADMIN = "an admin's request; no scenario has errors for it"
_REAL_ONLY = "only real brokers have its groups, and answer it as they are"

APIS: tuple[ApiInfo, ...] = (
    _led("Produce"),
    _led("Fetch", reads=True),
    _led("ListOffsets"),
    _led("OffsetForLeaderEpoch"),
    _led("DeleteRecords", Purpose.WORK, own=False, rules=False, apart=_ADMIN),
    _led("ShareFetch", reads=True),
    _led("ShareAcknowledge", reads=True),
    *_coordinated(_GROUP, "OffsetCommit", "OffsetFetch"),
    *_coordinated(_GROUP, "JoinGroup", "Heartbeat", "LeaveGroup", "SyncGroup", protocol=GroupProtocol.CLASSIC),
    *_coordinated(_GROUP, "TxnOffsetCommit"),
    *_coordinated(_GROUP, "ConsumerGroupHeartbeat", protocol=GroupProtocol.CONSUMER),
    *_coordinated(_GROUP, "DescribeGroups", "DeleteGroups", own=False, rules=False, apart=_ADMIN),
    *_coordinated(_GROUP, "ConsumerGroupDescribe", own=False, rules=False, apart=_ADMIN),
    *_coordinated(_GROUP, "ShareGroupHeartbeat"),
    *_coordinated(_GROUP, "StreamsGroupHeartbeat", protocol=GroupProtocol.STREAMS, rules=False, apart=_REAL_ONLY),
    *_coordinated(_TRANSACTION, "InitProducerId", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn"),
    *(ApiInfo(name=name, by=AnsweredBy.CONTROLLER) for name in ("CreateTopics", "DeleteTopics", "CreatePartitions")),
    *_any(Purpose.DISCOVERY, "Metadata", "FindCoordinator"),
    *_any(Purpose.HANDSHAKE, "ApiVersions"),
    *_any(Purpose.LOG_IN, "SaslHandshake", "SaslAuthenticate"),
    *_any(Purpose.HANDSHAKE, "GetTelemetrySubscriptions", "PushTelemetry"),
)
"""Every API with a treatment of its own."""


def keys(holds: Callable[[ApiInfo], bool]) -> tuple[int, ...]:
    """Return the keys of the APIs for which something holds, in the order of the table."""
    return tuple(info.key for info in APIS if holds(info))


def protocol_of(key: int) -> GroupProtocol | None:
    """Return the only group protocol whose members send an API; None for any other."""
    return next((info.protocol for info in APIS if info.key == key), None)
