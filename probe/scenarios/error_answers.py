"""Errors that a broker may return per API, and the reaction that each requires.

M = the target moved: ask for the new one. R = retriable in place: wait and try again, or take the step that the
protocol requires (join again). F = not retriable: report an error to the application. Any other error of Kafka's table
runs on request and is informative.

The class follows Kafka's exceptions (org.apache.kafka.common.errors, 3.9.2): M is an InvalidMetadataException, or 15
and 16 where a coordinator serves; R a RetriableException; F neither. Where the class deviates from that, the source of
the line begins with "reviewed:". Sources are classes and methods of Kafka 3.9.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from probe.model import Role, Target, Trigger
from probe.model.group_settings import GroupProtocol
from probe.protocol.names import api_key, error_name
from probe.scenarios.controllers import ZOOKEEPER_UNTIL
from probe.scenarios.steps.coordinators import MoveCoordinator, Rejoin
from probe.scenarios.steps.partitions import CutConnections, MoveLeader
from probe.scenarios.steps.step import Step

CLASSIC, CONSUMER = GroupProtocol.CLASSIC, GroupProtocol.CONSUMER
P, C, G, T, A = Role.PRODUCER, Role.CONSUMER, Role.GROUP, Role.TRANSACTIONAL, Role.ADMIN


class ErrorClass(StrEnum):
    """Class of an error in an API, after Kafka's exception hierarchy."""

    MOVED = "M"
    RETRIABLE = "R"
    FINAL = "F"
    OTHER = "-"
    """Not known to be returned in this API."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API in which errors can be injected."""

    name: str
    """Name of the API in scenario names."""
    roles: tuple[Role, ...]
    target: Target = Target.LEADER
    before: tuple[Step, ...] = ()
    """Steps that make a running client call the API, where it does not by itself."""
    starting: bool = False
    """Clients call it at their start, and hardly ever again."""
    until: str = ""
    """Newest release line whose brokers answer it themselves; empty = no limit."""
    connecting: bool = False
    """Every connection begins with it, so an error is about the broker and all that it leads."""
    causes: tuple[Trigger, ...] = ()
    """Other reasons than the error that make a client ask for the moved target."""
    line: str = ""
    """Oldest release line whose brokers answer these errors, where the API is older; empty = no limit."""
    line_reason: str = ""
    """Why older release lines do not."""

    @property
    def key(self) -> int:
        """Kafka's API key."""
        return api_key(self.name)


COORDINATED = Target.COORDINATOR
APIS = (
    Api("produce", (P,)),
    Api("fetch", (C, G)),
    Api("list-offsets", (A,)),
    Api("metadata", (P, C), before=(MoveLeader(drop_replica=True),)),
    Api("offset-commit", (G,), COORDINATED),
    Api("offset-fetch", (G, A), COORDINATED, before=(Rejoin(),)),
    Api("find-coordinator", (G, T), COORDINATED, before=(MoveCoordinator(),)),
    Api("join-group", (G,), COORDINATED, before=(Rejoin(),)),
    Api("heartbeat", (G,), COORDINATED),
    Api("sync-group", (G,), COORDINATED, before=(Rejoin(),)),
    Api("consumer-group-heartbeat", (G,), COORDINATED),
    Api("init-producer-id", (T,), COORDINATED, starting=True, causes=(Trigger.STARTUP,)),
    Api("offset-for-leader-epoch", (C,), before=(MoveLeader(),)),
    Api("add-partitions-to-txn", (T,), COORDINATED),
    Api("add-offsets-to-txn", (T,), COORDINATED),
    Api("end-txn", (T,), COORDINATED),
    Api("txn-offset-commit", (T,), COORDINATED),
    Api("create-topics", (A,), Target.CONTROLLER, until=ZOOKEEPER_UNTIL),
    Api(
        "api-versions",
        # No groups: in a cluster Metadata names another address for a coordinator that is refused at its former one
        # (broker/address-reused), and a client that keeps its id needs no more than that.
        (P, C),
        before=(CutConnections(),),
        connecting=True,
        causes=(Trigger.BOOTSTRAP,),
        line="4.4",
        line_reason="older brokers know ApiVersions up to version 4 only, which names no node (KIP-1242)",
    ),
)


PROVOKED_BY_REAL_BROKERS = {
    MoveLeader: "The partition's leader moves first, so that clients ask.",
    CutConnections: "Connections to the leader are reset first, so that clients connect again.",
    MoveCoordinator: "The coordinator moves first, so that clients ask.",
    Rejoin: "A heartbeat of a member is answered first that a rebalance is in progress, so that it joins again.",
}
"""The request by which clients are made to call an API, in the step before the error."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One error that brokers return in an API."""

    api: str
    code: int
    kind: ErrorClass
    source: str
    default: tuple[str, ...] = ()
    """Those of `answer`, `hold`, `blip`, `applied` that are in the default catalogue."""
    roles: tuple[Role, ...] = ()
    """The roles that the error concerns, where not all of the API's; empty = all."""
    since: int = 0
    """First request version to which brokers return it."""
    protocol: GroupProtocol | None = None
    """The only group protocol whose members brokers return it to, where the API is one of both."""


def _line(text: str, *, roles: tuple[Role, ...] = (), since: int = 0, protocol: GroupProtocol | None = None) -> Answer:
    """Parse `api code class families | source`; families are joined by commas, `-` = on request only."""
    head, _, source = text.partition(" | ")
    api, code, kind, families = head.split()
    default = () if families == "-" else tuple(families.split(","))
    return Answer(api, int(code), ErrorClass(kind), source, default, roles, since, protocol)


ANSWERS = (
    # Hand-written scenarios cover 56 (disk/storage-error), 6 (leader/*) and 19 (topic/too-few-replicas).
    _line("produce 2 R blip | LogValidator.validateMessagesAndAssignOffsets: CorruptRecordException"),
    _line("produce 3 M answer | ReplicaManager.getPartitionOrException: not hosted here"),
    _line("produce 6 M answer | Partition.appendRecordsToLeader: NotLeaderOrFollowerException"),
    _line("produce 7 R hold,applied | DelayedProduce.onComplete: the replicas did not answer in time; it is appended"),
    _line("produce 10 F blip | UnifiedLog.analyzeAndValidateRecords: RecordTooLargeException"),
    _line("produce 18 F - | UnifiedLog.append: RecordBatchTooLargeException"),
    _line("produce 19 R - | Partition.appendRecordsToLeader: NotEnoughReplicasException"),
    _line("produce 20 R applied | Partition.checkEnoughReplicasReachOffset: NotEnoughReplicasAfterAppend"),
    _line("produce 29 F blip | KafkaApis.handleProduceRequest: no WRITE on the topic"),
    _line("produce 47 F - | ProducerAppendInfo.checkProducerEpoch: an older epoch"),
    _line("produce 56 M - | ReplicaManager.getPartitionOrError: HostedPartition.Offline (KIP-112)"),
    _line("produce 87 F - | LogValidator: InvalidRecordException"),
    _line("produce 100 M - | KafkaApis.handleProduceRequest: no topic has this id (KIP-516)", since=13),
    _line("fetch -1 F - | ReplicaManager.readFromLog: any other exception", roles=(C,)),
    _line("fetch 3 M answer | ReplicaManager.getPartitionOrException: not hosted here", roles=(C,)),
    _line("fetch 6 M - | Partition.localLogWithEpochOrThrow: NotLeaderOrFollowerException"),
    _line("fetch 29 F blip | KafkaApis.handleFetchRequest: no READ on the topic"),
    _line("fetch 56 M - | ReplicaManager.getPartitionOrError: HostedPartition.Offline (KIP-112)"),
    _line("fetch 74 M - | Partition.checkCurrentLeaderEpoch: the client's epoch is older (KIP-320)", since=9),
    _line("fetch 75 R - | Partition.checkCurrentLeaderEpoch: the client's epoch is newer (KIP-320)", since=9),
    _line("fetch 78 R - | KIP-392: the offset is not available at this replica yet", since=11),
    _line("fetch 100 M - | KafkaApis.handleFetchRequest: no topic has this id (KIP-516)", since=13),
    _line("fetch 103 M - | Partition.localLogWithEpochOrThrow: the log has another topic id", since=13),
    _line("list-offsets 3 M - | ReplicaManager.getPartitionOrException: not hosted here"),
    _line("list-offsets 5 M - | KafkaApis.handleListOffsetRequestV1AndAbove: 78 for versions below 5"),
    _line("list-offsets 6 M answer | Partition.localLogWithEpochOrThrow: NotLeaderOrFollowerException"),
    _line("list-offsets 29 F blip | KafkaApis.handleListOffsetRequest: no DESCRIBE on the topic"),
    _line("list-offsets 56 M - | ReplicaManager.getPartitionOrError: HostedPartition.Offline (KIP-112)"),
    _line("list-offsets 74 M - | Partition.checkCurrentLeaderEpoch (KIP-320)", since=4),
    _line("list-offsets 75 R - | Partition.checkCurrentLeaderEpoch (KIP-320)", since=4),
    _line("list-offsets 78 R - | Partition.fetchOffsetForTimestamp: not known since the election (KIP-207)", since=5),
    # A hand-written scenario covers 3 (metadata/amnesia).
    _line("metadata 3 R - | reviewed: KafkaApis.getTopicMetadata: this broker does not know the topic yet", roles=(P,)),
    _line("metadata 5 R hold | reviewed: KRaftMetadataCache.getPartitionMetadata: the leader is not alive"),
    _line("metadata 29 F blip | KafkaApis.handleTopicMetadataRequest: no DESCRIBE on the topic", roles=(P,)),
    _line(
        "metadata 72 R - | reviewed: KRaftMetadataCache.getPartitionMetadata: no such listener at the leader", since=6
    ),
    _line("offset-commit 14 R hold | GroupCoordinator.validateGroupStatus: isGroupLoading"),
    _line("offset-commit 15 M - | GroupCoordinator.validateGroupStatus: not active"),
    _line("offset-commit 16 M answer | GroupCoordinator.validateGroupStatus: not the owner of the partition"),
    _line("offset-commit 12 F - | GroupMetadataManager.validateOffsetMetadataLength"),
    _line("offset-commit 22 F - | GroupCoordinator.validateOffsetCommit: another generation", protocol=CLASSIC),
    _line("offset-commit 25 F - | GroupCoordinator.validateOffsetCommit: no such member"),
    _line(
        "offset-commit 27 R - | reviewed: GroupCoordinator.doCommitOffsets: join again, then commit", protocol=CLASSIC
    ),
    _line("offset-commit 30 F blip | KafkaApis.handleOffsetCommitRequest: no READ on the group"),
    _line(
        "offset-commit 113 R blip | reviewed: ConsumerGroup.validateMemberEpoch: learn the epoch by a heartbeat",
        since=9,
        protocol=CONSUMER,
    ),
    # A member fetches only the offsets of partitions that are new to it. An admin always sends the request.
    _line("offset-fetch 14 R hold | GroupCoordinator.handleFetchOffsets: isGroupLoading", roles=(A,)),
    _line("offset-fetch 15 M - | GroupCoordinator.validateGroupStatus: not active"),
    _line("offset-fetch 16 M answer | GroupCoordinator.validateGroupStatus: not the owner", roles=(A,)),
    _line("offset-fetch 30 F blip | KafkaApis.fetchOffsetsForGroup: no DESCRIBE on the group", roles=(A,)),
    _line(
        "offset-fetch 113 R blip | reviewed: ConsumerGroup.validateOffsetFetch: learn the epoch by a heartbeat",
        roles=(G,),
        since=9,
        protocol=CONSUMER,
    ),
    _line("offset-fetch 88 R - | GroupMetadataManager.getOffsets: a transaction is open (KIP-447)", since=7),
    _line("find-coordinator 15 R hold | reviewed: KafkaApis.getCoordinator: the internal partition has no leader"),
    _line("find-coordinator 30 F blip | KafkaApis.getCoordinator: no DESCRIBE on the group", roles=(G,)),
    _line("find-coordinator 53 F blip | KafkaApis.getCoordinator: no DESCRIBE on the transactional id", roles=(T,)),
    _line("join-group 14 R hold | GroupCoordinator.validateGroupStatus: isGroupLoading"),
    _line("join-group 15 M - | GroupCoordinator.validateGroupStatus: not active"),
    _line("join-group 16 M answer | GroupCoordinator.validateGroupStatus: not the owner of the partition"),
    _line("join-group 25 R blip | reviewed: GroupCoordinator.doCurrentMemberJoinGroup: join again as a new member"),
    _line("join-group 30 F blip | KafkaApis.handleJoinGroupRequest: no READ on the group"),
    _line("join-group 81 F - | GroupCoordinator.handleJoinGroup: group.max.size is reached (KIP-389)", since=4),
    _line(
        "join-group 82 F - | GroupCoordinator.validateCurrentMember: another has this instance id (KIP-345)", since=5
    ),
    _line("sync-group 15 M - | GroupCoordinator.validateGroupStatus: not active"),
    _line("sync-group 16 M answer | GroupCoordinator.validateGroupStatus: not the owner of the partition"),
    _line("sync-group 22 R - | reviewed: GroupCoordinator.validateSyncGroup: another generation; join again"),
    _line("sync-group 25 R - | reviewed: GroupCoordinator.validateSyncGroup: join again as a new member"),
    _line("sync-group 27 R blip | reviewed: GroupCoordinator.doSyncGroup: another rebalance has begun; join again"),
    _line("sync-group 30 F - | KafkaApis.handleSyncGroupRequest: no READ on the group"),
    _line("heartbeat 15 M - | GroupCoordinator.validateGroupStatus: not active"),
    _line("heartbeat 16 M answer | GroupCoordinator.validateGroupStatus: not the owner of the partition"),
    _line("heartbeat 22 R - | reviewed: GroupCoordinator.validateHeartbeat: another generation; join again"),
    _line("heartbeat 25 R blip | reviewed: GroupCoordinator.validateHeartbeat: join again as a new member"),
    _line("heartbeat 27 R - | reviewed: GroupCoordinator.doHeartbeat: PreparingRebalance; join again"),
    _line("heartbeat 30 F - | KafkaApis.handleHeartbeatRequest: no READ on the group"),
    _line("heartbeat 82 F - | GroupCoordinator.validateCurrentMember: another has this instance id (KIP-345)", since=3),
    # Codes: ConsumerGroupHeartbeatResponse.json of 4.4.0; STALE_MEMBER_EPOCH (113) is none of them.
    _line("consumer-group-heartbeat 14 R hold | CoordinatorRuntime: the partition is being loaded"),
    _line("consumer-group-heartbeat 15 M - | GroupCoordinatorService: not active"),
    _line("consumer-group-heartbeat 16 M answer | CoordinatorRuntime: not the owner of the partition"),
    _line("consumer-group-heartbeat 25 R blip | reviewed: ConsumerGroup.getOrMaybeCreateMember: join with epoch 0"),
    _line("consumer-group-heartbeat 30 F blip | KafkaApis.handleConsumerGroupHeartbeat: no READ on the group"),
    _line("consumer-group-heartbeat 35 F - | GroupCoordinatorService.consumerGroupHeartbeat: the protocol is off"),
    _line("consumer-group-heartbeat 42 F - | throwIfConsumerGroupHeartbeatRequestIsInvalid"),
    _line("consumer-group-heartbeat 69 F - | GroupMetadataManager.getOrMaybeCreateConsumerGroup: a classic group"),
    _line("consumer-group-heartbeat 81 F - | throwIfConsumerGroupIsFull: group.consumer.max.size is reached"),
    _line(
        "consumer-group-heartbeat 110 R blip | reviewed: throwIfConsumerGroupMemberEpochIsInvalid: give up all "
        "partitions and join with epoch 0"
    ),
    _line("consumer-group-heartbeat 111 F - | throwIfInstanceIdIsUnreleased: another member has this instance id"),
    _line("consumer-group-heartbeat 112 F - | throwIfConsumerGroupHeartbeatRequestIsInvalid: no such assignor"),
    _line("consumer-group-heartbeat 128 F - | throwIfRegularExpressionIsInvalid", since=1),
    _line("init-producer-id 14 R - | TransactionStateManager.getAndMaybeAddTransactionState: the partition loads"),
    _line("init-producer-id 16 M - | TransactionStateManager.getAndMaybeAddTransactionState: not the owner"),
    _line(
        "init-producer-id 51 R hold | TransactionCoordinator.prepareInitProducerIdTransit: pendingTransitionInProgress"
    ),
    _line(
        "init-producer-id 50 F - | TransactionCoordinator.handleInitProducerId: transaction.timeout.ms above the limit"
    ),
    _line("init-producer-id 53 F blip | KafkaApis.handleInitProducerIdRequest: no WRITE on the transactional id"),
    _line("init-producer-id 90 F - | TransactionCoordinator.prepareInitProducerIdTransit: fenced (KIP-360)", since=4),
    _line("add-partitions-to-txn 14 R - | TransactionStateManager.getAndMaybeAddTransactionState: the partition loads"),
    _line("add-partitions-to-txn 16 M answer | TransactionStateManager.getAndMaybeAddTransactionState: not the owner"),
    _line(
        "add-partitions-to-txn 47 F - | TransactionCoordinator.handleAddPartitionsToTransaction: 90, below version 2"
    ),
    _line("add-partitions-to-txn 48 F - | TransactionMetadata.prepareTransitionTo: not in this state"),
    _line(
        "add-partitions-to-txn 51 R hold | TransactionCoordinator.handleAddPartitionsToTransaction: still completing"
    ),
    _line(
        "add-partitions-to-txn 53 F blip | KafkaApis.handleAddPartitionsToTxnRequest: no WRITE on the transactional id"
    ),
    _line("add-partitions-to-txn 90 F - | TransactionCoordinator.handleAddPartitionsToTransaction: fenced", since=2),
    # It is a row of __consumer_offsets that joins the transaction, by the method of AddPartitionsToTxn.
    _line("add-offsets-to-txn 14 R - | TransactionStateManager.getAndMaybeAddTransactionState: the partition loads"),
    _line("add-offsets-to-txn 16 M answer | TransactionStateManager.getAndMaybeAddTransactionState: not the owner"),
    _line("add-offsets-to-txn 30 F - | KafkaApis.handleAddOffsetsToTxnRequest: no READ on the group"),
    _line("add-offsets-to-txn 47 F - | TransactionCoordinator.handleAddPartitionsToTransaction: 90, below version 2"),
    _line("add-offsets-to-txn 48 F - | TransactionMetadata.prepareTransitionTo: not in this state"),
    _line("add-offsets-to-txn 51 R hold | TransactionCoordinator.handleAddPartitionsToTransaction: still completing"),
    _line("add-offsets-to-txn 53 F - | KafkaApis.handleAddOffsetsToTxnRequest: no WRITE on the transactional id"),
    _line("add-offsets-to-txn 90 F - | TransactionCoordinator.handleAddPartitionsToTransaction: fenced", since=2),
    _line("end-txn 14 R - | TransactionStateManager.getAndMaybeAddTransactionState: the partition loads"),
    _line("end-txn 16 M answer | TransactionStateManager.getAndMaybeAddTransactionState: not the owner"),
    _line("end-txn 47 F - | TransactionCoordinator.endTransaction: 90, below version 2"),
    _line("end-txn 48 F blip | TransactionCoordinator.logInvalidStateTransitionAndReturnError"),
    _line("end-txn 51 R hold | TransactionCoordinator.endTransaction: pendingTransitionInProgress"),
    _line("end-txn 53 F - | KafkaApis.handleEndTxnRequest: no WRITE on the transactional id"),
    _line("end-txn 90 F - | TransactionCoordinator.endTransaction: fenced by a newer epoch", since=2),
    _line("txn-offset-commit 14 R - | GroupCoordinator.validateGroupStatus: isGroupLoading", since=2),
    _line("txn-offset-commit 16 M answer | GroupCoordinator.validateGroupStatus: not the owner of the partition"),
    _line("txn-offset-commit 22 F - | GroupCoordinator.validateOffsetCommit: another generation (KIP-447)", since=3),
    _line("txn-offset-commit 30 F - | KafkaApis.handleTxnOffsetCommitRequest: no READ on the group"),
    _line("create-topics 41 M answer | reviewed: KafkaApis.handleCreateTopicsRequest: not the active controller"),
    _line("offset-for-leader-epoch 6 M - | Partition.localLogWithEpochOrThrow: NotLeaderOrFollowerException"),
    _line("offset-for-leader-epoch 74 M - | Partition.checkCurrentLeaderEpoch (KIP-320)", since=2),
    _line("offset-for-leader-epoch 75 R - | Partition.checkCurrentLeaderEpoch (KIP-320)", since=2),
    _line("api-versions 129 M answer | reviewed: KIP-1242: another cluster or node is named; bootstrap again", since=5),
)

NEEDS_ACKS_ALL = frozenset({("produce", 7), ("produce", 19), ("produce", 20)})
"""Errors of requests with acks=all only, as no other request waits for replicas."""

NEEDS_EPOCH = frozenset({74, 75})
"""Errors of requests with a leader epoch only (KIP-320)."""

NEEDS_NODE = frozenset({("api-versions", 129)})
"""Errors of requests that name a cluster and a node (KIP-1242); those to addresses of the configuration do not."""

WHOLE_TOPIC = frozenset(
    {("metadata", 3), ("metadata", 29), ("metadata", 100), ("produce", 29), ("fetch", 29), ("list-offsets", 29)}
)
"""Errors about a whole topic, not about one partition."""

MAY_SURFACE = frozenset(
    {
        ("heartbeat", 22),
        ("heartbeat", 25),
        ("sync-group", 25),
        ("join-group", 25),
        ("consumer-group-heartbeat", 25),
        ("consumer-group-heartbeat", 110),
        ("offset-commit", 113),
    }
)
"""Reviewed: the member was really removed from the group, so its next commit fails with an error. A commit of an older
epoch (113) is tried again by Java's commitSync only; commitAsync ends with it (CommitRequestManager, 4.0)."""

MAY_BE_FATAL = frozenset({31, 45, 47, 48, 49, 53, 82, 90})
"""Reviewed: after these errors Kafka's documentation requires a new producer (or static member) in place of the old
one (KafkaProducer: ProducerFenced, OutOfOrderSequence, Authorization; TransactionManager.transitionToFatalError)."""

WITH_OFFSETS = frozenset({"add-offsets-to-txn", "txn-offset-commit"})
"""APIs that a producer calls only if its transactions carry offsets of a group."""

BY_CODE = {(item.api, item.code): item for item in ANSWERS}


def find_api(name: str) -> Api | None:
    """Return the API with this name (the second part of a scenario name), or None."""
    return next((api for api in APIS if api.name == name), None)


def answer_of(api: Api, code: int) -> Answer:
    """Return the entry of an error in an API, of class OTHER if there is none."""
    other = Answer(api.name, code, ErrorClass.OTHER, "on request: not known as an answer to this API")
    return BY_CODE.get((api.name, code), other)


def listed(api: Api, prefix: str) -> tuple[str, ...]:
    """Return the names of the API's errors that a generated family has in the default catalogue, by code."""
    codes = sorted(item.code for item in ANSWERS if item.api == api.name and prefix in item.default)
    return tuple(error_name(code) for code in codes)
