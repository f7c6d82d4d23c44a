// kafka-node's errors as errors of driver.proto.
//
// An error of a broker is an Error whose message is a name of the library's own, or of a group an Error of a class with
// `errorCode`. A code that the library does not know is an Error without a message, so it cannot be reported.

const TEXT_LENGTH = 400;
/** Names of the library with Kafka's code and name (lib/protocol/protocol_struct.js, ERROR_CODE). */
const NAMES = {
  Unknown: [-1, "UNKNOWN_SERVER_ERROR"],
  OffsetOutOfRange: [1, "OFFSET_OUT_OF_RANGE"],
  InvalidMessage: [2, "CORRUPT_MESSAGE"],
  UnknownTopicOrPartition: [3, "UNKNOWN_TOPIC_OR_PARTITION"],
  InvalidMessageSize: [4, "INVALID_FETCH_SIZE"],
  LeaderNotAvailable: [5, "LEADER_NOT_AVAILABLE"],
  NotLeaderForPartition: [6, "NOT_LEADER_OR_FOLLOWER"],
  RequestTimedOut: [7, "REQUEST_TIMED_OUT"],
  BrokerNotAvailable: [8, "BROKER_NOT_AVAILABLE"],
  ReplicaNotAvailable: [9, "REPLICA_NOT_AVAILABLE"],
  MessageSizeTooLarge: [10, "MESSAGE_TOO_LARGE"],
  StaleControllerEpochCode: [11, "STALE_CONTROLLER_EPOCH"],
  OffsetMetadataTooLargeCode: [12, "OFFSET_METADATA_TOO_LARGE"],
  GroupLoadInProgress: [14, "COORDINATOR_LOAD_IN_PROGRESS"],
  GroupCoordinatorNotAvailable: [15, "COORDINATOR_NOT_AVAILABLE"],
  NotCoordinatorForGroup: [16, "NOT_COORDINATOR"],
  InvalidTopic: [17, "INVALID_TOPIC_EXCEPTION"],
  RecordListTooLarge: [18, "RECORD_LIST_TOO_LARGE"],
  NotEnoughReplicas: [19, "NOT_ENOUGH_REPLICAS"],
  NotEnoughReplicasAfterAppend: [20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND"],
  InvalidRequiredAcks: [21, "INVALID_REQUIRED_ACKS"],
  IllegalGeneration: [22, "ILLEGAL_GENERATION"],
  InconsistentGroupProtocol: [23, "INCONSISTENT_GROUP_PROTOCOL"],
  UnknownMemberId: [25, "UNKNOWN_MEMBER_ID"],
  InvalidSessionTimeout: [26, "INVALID_SESSION_TIMEOUT"],
  RebalanceInProgress: [27, "REBALANCE_IN_PROGRESS"],
  InvalidCommitOffsetSize: [28, "INVALID_COMMIT_OFFSET_SIZE"],
  TopicAuthorizationFailed: [29, "TOPIC_AUTHORIZATION_FAILED"],
  GroupAuthorizationFailed: [30, "GROUP_AUTHORIZATION_FAILED"],
  ClusterAuthorizationFailed: [31, "CLUSTER_AUTHORIZATION_FAILED"],
  NotController: [41, "NOT_CONTROLLER"],
  InvalidRequest: [42, "INVALID_REQUEST"],
};
const BY_CODE = new Map(Object.values(NAMES));

/** Convert anything thrown, or passed to a callback or an event. */
export function errorOf(thrown) {
  const [code, name] = brokerError(thrown);
  const text = String(thrown?.message ?? thrown);
  return { code, name, type: thrown?.name ?? typeof thrown, text: text.slice(0, TEXT_LENGTH), retriable: false };
}

/** Convert the code of a partition in an answer that the library does not look at. */
export function errorOfCode(code) {
  return { code, name: BY_CODE.get(code) ?? "", type: "errorCode", text: `error code ${code}`, retriable: false };
}

function brokerError(thrown) {
  if (Number.isInteger(thrown?.errorCode)) return [thrown.errorCode, BY_CODE.get(thrown.errorCode) ?? ""];
  return Object.hasOwn(NAMES, thrown?.message ?? "") ? NAMES[thrown.message] : [-1, ""];
}
