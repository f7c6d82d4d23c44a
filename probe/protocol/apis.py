"""The API keys that the program uses, by name, and the sets that follow from `api_table`. All keys are in `names`."""

from __future__ import annotations

from probe.protocol.api_table import AnsweredBy, CoordinatorKind, Purpose, keys
from probe.protocol.names import api_key

PRODUCE = api_key("Produce")
FETCH = api_key("Fetch")
LIST_OFFSETS = api_key("ListOffsets")
METADATA = api_key("Metadata")
CONTROLLED_SHUTDOWN = api_key("ControlledShutdown")
OFFSET_COMMIT = api_key("OffsetCommit")
OFFSET_FETCH = api_key("OffsetFetch")
FIND_COORDINATOR = api_key("FindCoordinator")
JOIN_GROUP = api_key("JoinGroup")
HEARTBEAT = api_key("Heartbeat")
LEAVE_GROUP = api_key("LeaveGroup")
SYNC_GROUP = api_key("SyncGroup")
API_VERSIONS = api_key("ApiVersions")
CREATE_TOPICS = api_key("CreateTopics")
DELETE_TOPICS = api_key("DeleteTopics")
DELETE_RECORDS = api_key("DeleteRecords")
INIT_PRODUCER_ID = api_key("InitProducerId")
OFFSET_FOR_LEADER_EPOCH = api_key("OffsetForLeaderEpoch")
ADD_PARTITIONS_TO_TXN = api_key("AddPartitionsToTxn")
ADD_OFFSETS_TO_TXN = api_key("AddOffsetsToTxn")
END_TXN = api_key("EndTxn")
TXN_OFFSET_COMMIT = api_key("TxnOffsetCommit")
ALTER_CONFIGS = api_key("AlterConfigs")
INCREMENTAL_ALTER_CONFIGS = api_key("IncrementalAlterConfigs")
ALTER_REPLICA_LOG_DIRS = api_key("AlterReplicaLogDirs")
CREATE_PARTITIONS = api_key("CreatePartitions")
ELECT_LEADERS = api_key("ElectLeaders")
ALTER_PARTITION_REASSIGNMENTS = api_key("AlterPartitionReassignments")
DESCRIBE_CLUSTER = api_key("DescribeCluster")
ALTER_CLIENT_QUOTAS = api_key("AlterClientQuotas")
ALTER_USER_SCRAM_CREDENTIALS = api_key("AlterUserScramCredentials")
CONSUMER_GROUP_HEARTBEAT = api_key("ConsumerGroupHeartbeat")
SHARE_GROUP_HEARTBEAT = api_key("ShareGroupHeartbeat")
STREAMS_GROUP_HEARTBEAT = api_key("StreamsGroupHeartbeat")
SHARE_FETCH = api_key("ShareFetch")
SHARE_ACKNOWLEDGE = api_key("ShareAcknowledge")

SASL_HANDSHAKE = api_key("SaslHandshake")
SASL_AUTHENTICATE = api_key("SaslAuthenticate")

HEARTBEATS_BY_BROKER = frozenset({CONSUMER_GROUP_HEARTBEAT, SHARE_GROUP_HEARTBEAT, STREAMS_GROUP_HEARTBEAT})
"""Heartbeats of the new group protocols (KIP-848, KIP-932, KIP-1071), by which a member joins and leaves, too, and
whose interval brokers set."""

SASL_APIS = keys(lambda api: api.purpose is Purpose.LOG_IN)
"""APIs by which a client logs in. After SaslHandshake version 0 its tokens follow without any header (KIP-152)."""
HANDSHAKE_APIS = keys(lambda api: api.purpose in {Purpose.HANDSHAKE, Purpose.LOG_IN})
"""APIs that a client sends on a connection before its work, or in addition to it."""
DISCOVERY_APIS = keys(lambda api: api.purpose is Purpose.DISCOVERY)
"""APIs by which a client finds a leader or a coordinator."""
CONTROLLER_APIS = keys(lambda api: api.by is AnsweredBy.CONTROLLER)
"""APIs that the controller answers: brokers with ZooKeeper refuse them, KRaft brokers forward them."""
LOG_APIS = keys(lambda api: api.purpose is Purpose.LOG)
"""APIs that read or write the log of a partition, or ask about it. Only its leader answers them."""
GROUP_APIS = keys(lambda api: api.rules and api.kind is CoordinatorKind.GROUP)
"""APIs of a group's coordinator."""
TXN_APIS = keys(lambda api: api.rules and api.kind is CoordinatorKind.TRANSACTION)
"""APIs of a transactional id's coordinator."""
COORDINATOR_APIS = tuple(sorted((*GROUP_APIS, *TXN_APIS)))
"""APIs of the coordinators of groups and transactional ids, by key."""
