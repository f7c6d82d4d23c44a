"""Names of APIs and errors, as in Kafka's protocol tables. Names of older releases are accepted.

Sources: `org.apache.kafka.common.protocol.Errors` and the `apiKey` of Kafka's message definitions.
"""

from __future__ import annotations

import re

from probe.model.hints import did_you_mean

_APIS = """
Produce Fetch ListOffsets Metadata LeaderAndIsr StopReplica UpdateMetadata ControlledShutdown OffsetCommit OffsetFetch
FindCoordinator JoinGroup Heartbeat LeaveGroup SyncGroup DescribeGroups ListGroups SaslHandshake ApiVersions
CreateTopics DeleteTopics DeleteRecords InitProducerId OffsetForLeaderEpoch AddPartitionsToTxn AddOffsetsToTxn EndTxn
WriteTxnMarkers TxnOffsetCommit DescribeAcls CreateAcls DeleteAcls DescribeConfigs AlterConfigs AlterReplicaLogDirs
DescribeLogDirs SaslAuthenticate CreatePartitions CreateDelegationToken RenewDelegationToken ExpireDelegationToken
DescribeDelegationToken DeleteGroups ElectLeaders IncrementalAlterConfigs AlterPartitionReassignments
ListPartitionReassignments OffsetDelete DescribeClientQuotas AlterClientQuotas DescribeUserScramCredentials
AlterUserScramCredentials Vote BeginQuorumEpoch EndQuorumEpoch DescribeQuorum AlterPartition UpdateFeatures Envelope
FetchSnapshot DescribeCluster DescribeProducers BrokerRegistration BrokerHeartbeat UnregisterBroker
DescribeTransactions ListTransactions AllocateProducerIds ConsumerGroupHeartbeat ConsumerGroupDescribe
ControllerRegistration GetTelemetrySubscriptions PushTelemetry AssignReplicasToDirs ListConfigResources
DescribeTopicPartitions ShareGroupHeartbeat ShareGroupDescribe ShareFetch ShareAcknowledge AddRaftVoter
RemoveRaftVoter UpdateRaftVoter InitializeShareGroupState ReadShareGroupState WriteShareGroupState
DeleteShareGroupState ReadShareGroupStateSummary StreamsGroupHeartbeat StreamsGroupDescribe DescribeShareGroupOffsets
AlterShareGroupOffsets DeleteShareGroupOffsets StreamsGroupTopologyDescriptionUpdate UnregisterController
"""
"""In order of their API key, from 0."""

_OLD_APIS = {
    "ListClientMetricsResources": "ListConfigResources",
    "AlterIsr": "AlterPartition",
    "GroupCoordinator": "FindCoordinator",
    "ConsumerMetadata": "FindCoordinator",
    "Offsets": "ListOffsets",
    "ListOffset": "ListOffsets",
    "OffsetsForLeaderEpoch": "OffsetForLeaderEpoch",
}

_ERRORS = """
UNKNOWN_SERVER_ERROR NONE OFFSET_OUT_OF_RANGE CORRUPT_MESSAGE UNKNOWN_TOPIC_OR_PARTITION INVALID_FETCH_SIZE
LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REQUEST_TIMED_OUT BROKER_NOT_AVAILABLE REPLICA_NOT_AVAILABLE
MESSAGE_TOO_LARGE STALE_CONTROLLER_EPOCH OFFSET_METADATA_TOO_LARGE NETWORK_EXCEPTION COORDINATOR_LOAD_IN_PROGRESS
COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR INVALID_TOPIC_EXCEPTION RECORD_LIST_TOO_LARGE NOT_ENOUGH_REPLICAS
NOT_ENOUGH_REPLICAS_AFTER_APPEND INVALID_REQUIRED_ACKS ILLEGAL_GENERATION INCONSISTENT_GROUP_PROTOCOL INVALID_GROUP_ID
UNKNOWN_MEMBER_ID INVALID_SESSION_TIMEOUT REBALANCE_IN_PROGRESS INVALID_COMMIT_OFFSET_SIZE TOPIC_AUTHORIZATION_FAILED
GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED INVALID_TIMESTAMP UNSUPPORTED_SASL_MECHANISM
ILLEGAL_SASL_STATE UNSUPPORTED_VERSION TOPIC_ALREADY_EXISTS INVALID_PARTITIONS INVALID_REPLICATION_FACTOR
INVALID_REPLICA_ASSIGNMENT INVALID_CONFIG NOT_CONTROLLER INVALID_REQUEST UNSUPPORTED_FOR_MESSAGE_FORMAT
POLICY_VIOLATION OUT_OF_ORDER_SEQUENCE_NUMBER DUPLICATE_SEQUENCE_NUMBER INVALID_PRODUCER_EPOCH INVALID_TXN_STATE
INVALID_PRODUCER_ID_MAPPING INVALID_TRANSACTION_TIMEOUT CONCURRENT_TRANSACTIONS TRANSACTION_COORDINATOR_FENCED
TRANSACTIONAL_ID_AUTHORIZATION_FAILED SECURITY_DISABLED OPERATION_NOT_ATTEMPTED KAFKA_STORAGE_ERROR LOG_DIR_NOT_FOUND
SASL_AUTHENTICATION_FAILED UNKNOWN_PRODUCER_ID REASSIGNMENT_IN_PROGRESS DELEGATION_TOKEN_AUTH_DISABLED
DELEGATION_TOKEN_NOT_FOUND DELEGATION_TOKEN_OWNER_MISMATCH DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
DELEGATION_TOKEN_AUTHORIZATION_FAILED DELEGATION_TOKEN_EXPIRED INVALID_PRINCIPAL_TYPE NON_EMPTY_GROUP
GROUP_ID_NOT_FOUND FETCH_SESSION_ID_NOT_FOUND INVALID_FETCH_SESSION_EPOCH LISTENER_NOT_FOUND TOPIC_DELETION_DISABLED
FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH UNSUPPORTED_COMPRESSION_TYPE STALE_BROKER_EPOCH OFFSET_NOT_AVAILABLE
MEMBER_ID_REQUIRED PREFERRED_LEADER_NOT_AVAILABLE GROUP_MAX_SIZE_REACHED FENCED_INSTANCE_ID
ELIGIBLE_LEADERS_NOT_AVAILABLE ELECTION_NOT_NEEDED NO_REASSIGNMENT_IN_PROGRESS GROUP_SUBSCRIBED_TO_TOPIC
INVALID_RECORD UNSTABLE_OFFSET_COMMIT THROTTLING_QUOTA_EXCEEDED PRODUCER_FENCED RESOURCE_NOT_FOUND DUPLICATE_RESOURCE
UNACCEPTABLE_CREDENTIAL INCONSISTENT_VOTER_SET INVALID_UPDATE_VERSION FEATURE_UPDATE_FAILED
PRINCIPAL_DESERIALIZATION_FAILURE SNAPSHOT_NOT_FOUND POSITION_OUT_OF_RANGE UNKNOWN_TOPIC_ID
DUPLICATE_BROKER_REGISTRATION BROKER_ID_NOT_REGISTERED INCONSISTENT_TOPIC_ID INCONSISTENT_CLUSTER_ID
TRANSACTIONAL_ID_NOT_FOUND FETCH_SESSION_TOPIC_ID_ERROR INELIGIBLE_REPLICA NEW_LEADER_ELECTED
OFFSET_MOVED_TO_TIERED_STORAGE FENCED_MEMBER_EPOCH UNRELEASED_INSTANCE_ID UNSUPPORTED_ASSIGNOR STALE_MEMBER_EPOCH
MISMATCHED_ENDPOINT_TYPE UNSUPPORTED_ENDPOINT_TYPE UNKNOWN_CONTROLLER_ID UNKNOWN_SUBSCRIPTION_ID TELEMETRY_TOO_LARGE
INVALID_REGISTRATION TRANSACTION_ABORTABLE INVALID_RECORD_STATE SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH
FENCED_STATE_EPOCH INVALID_VOTER_KEY DUPLICATE_VOTER VOTER_NOT_FOUND INVALID_REGULAR_EXPRESSION REBOOTSTRAP_REQUIRED
STREAMS_INVALID_TOPOLOGY STREAMS_INVALID_TOPOLOGY_EPOCH STREAMS_TOPOLOGY_FENCED SHARE_SESSION_LIMIT_REACHED
GROUP_DELETION_FAILED STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED CONTROLLER_ID_NOT_REGISTERED
"""
"""In order of their code, from -1."""

_OLD_ERRORS = {
    "UNKNOWN": "UNKNOWN_SERVER_ERROR",
    "INVALID_MESSAGE": "CORRUPT_MESSAGE",
    "UNKNOWN_TOPIC_OR_PART": "UNKNOWN_TOPIC_OR_PARTITION",
    "INVALID_MESSAGE_SIZE": "INVALID_FETCH_SIZE",
    "NOT_LEADER_FOR_PARTITION": "NOT_LEADER_OR_FOLLOWER",
    "MESSAGE_SIZE_TOO_LARGE": "MESSAGE_TOO_LARGE",
    "GROUP_LOAD_IN_PROGRESS": "COORDINATOR_LOAD_IN_PROGRESS",
    "GROUP_COORDINATOR_NOT_AVAILABLE": "COORDINATOR_NOT_AVAILABLE",
    "NOT_COORDINATOR_FOR_GROUP": "NOT_COORDINATOR",
    "OFFSETS_LOAD_IN_PROGRESS": "COORDINATOR_LOAD_IN_PROGRESS",
    "CONSUMER_COORDINATOR_NOT_AVAILABLE": "COORDINATOR_NOT_AVAILABLE",
    "NOT_COORDINATOR_FOR_CONSUMER": "NOT_COORDINATOR",
    "INVALID_TOPIC": "INVALID_TOPIC_EXCEPTION",
    "CLUSTER_ID_NOT_FOUND": "INCONSISTENT_CLUSTER_ID",
    "DUPLICATE_SEQUENCE": "DUPLICATE_SEQUENCE_NUMBER",
    "UNSUPPORTED_SASL_MECHANISM_EXCEPTION": "UNSUPPORTED_SASL_MECHANISM",
    "INVALID_TXN_TIMEOUT": "INVALID_TRANSACTION_TIMEOUT",
}
"""Earlier names of Kafka and names of clients, to the current name."""

API_NAMES: dict[int, str] = dict(enumerate(_APIS.split()))
"""API key to name, as in Kafka's message definitions."""

ERROR_NAMES: dict[int, str] = dict(enumerate(_ERRORS.split(), start=-1))
"""Error code to protocol name."""

_API_KEYS = {name.lower(): key for key, name in API_NAMES.items()}
_API_KEYS |= {old.lower(): _API_KEYS[new.lower()] for old, new in _OLD_APIS.items()}
_ERROR_CODES = {name: code for code, name in ERROR_NAMES.items()}
_ERROR_CODES |= {old: _ERROR_CODES[new] for old, new in _OLD_ERRORS.items()}


class UnknownNameError(ValueError):
    """There is no such API or error. The text is one line with similar names."""


def api_name(key: int) -> str:
    """Return Kafka's name of an API, `api <key>` for an unknown key."""
    return API_NAMES.get(key, f"api {key}")


def api_slug(key: int) -> str:
    """Return the name as scenario names contain it: `list-offsets`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", api_name(key)).lower().replace(" ", "-")


def api_key(name: str) -> int:
    """Return the key of an API by Kafka's name (`ListOffsets`) or by that in scenarios (`list-offsets`).

    Raises UnknownNameError.
    """
    key = _API_KEYS.get(name.replace("-", "").replace("_", "").lower())
    if key is None:
        raise UnknownNameError(_unknown("API", name, [*API_NAMES.values(), *map(api_slug, API_NAMES)]))
    return key


def error_name(code: int) -> str:
    """Return the protocol name of an error code, `ERROR_<code>` for an unknown code."""
    return ERROR_NAMES.get(code, f"ERROR_{code}")


def error_code(name: str) -> int:
    """Return the code of a protocol error. Old names, any case and `-` for `_` are accepted.

    Raises UnknownNameError.
    """
    code = _ERROR_CODES.get(name.upper().replace("-", "_"))
    if code is None:
        raise UnknownNameError(_unknown("Kafka error", name, list(_ERROR_CODES)))
    return code


def _unknown(kind: str, name: str, known: list[str]) -> str:
    spelled = name.upper().replace("-", "_") if kind != "API" else name
    hint = did_you_mean(spelled, known, "see the error table in docs/scenarios.md", at_most=3, cutoff=0.5)
    return f"unknown {kind} {name!r}: {hint}"
