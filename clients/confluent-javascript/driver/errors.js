// The library's errors as errors of driver.proto.
//
// `code` is Kafka's protocol code (-1 is UNKNOWN_SERVER_ERROR), or a local condition of librdkafka's, from -200 on.
// `type` is the name of that code, such as ERR_NOT_LEADER_FOR_PARTITION or ERR__MSG_TIMED_OUT (lib/error.js); it is -1 for
// codes that have two names there (lib/kafkajs/_error.js, errTypes).

const TEXT_LENGTH = 400;
const LOCAL = -2;
const TWO_NAMES = { 14: "COORDINATOR_LOAD_IN_PROGRESS", 15: "COORDINATOR_NOT_AVAILABLE", 16: "NOT_COORDINATOR" };
const RENAMED = {
  UNKNOWN: "UNKNOWN_SERVER_ERROR",
  INVALID_MSG: "CORRUPT_MESSAGE",
  UNKNOWN_TOPIC_OR_PART: "UNKNOWN_TOPIC_OR_PARTITION",
  INVALID_MSG_SIZE: "INVALID_FETCH_SIZE",
  NOT_LEADER_FOR_PARTITION: "NOT_LEADER_OR_FOLLOWER",
  MSG_SIZE_TOO_LARGE: "MESSAGE_TOO_LARGE",
  STALE_CTRL_EPOCH: "STALE_CONTROLLER_EPOCH",
  TOPIC_EXCEPTION: "INVALID_TOPIC_EXCEPTION",
};

/** Convert anything thrown; of several errors the first one counts. */
export function errorOf(thrown) {
  const error = thrown?.errors?.[0] ?? thrown;
  const named = typeof error?.type === "string" ? error.type.replace(/^ERR_/, "") : (TWO_NAMES[error?.code] ?? "");
  const answered = Number.isInteger(error?.code) && error.code > LOCAL;
  return {
    code: answered ? error.code : -1,
    name: answered ? (RENAMED[named] ?? named) : "",
    type: named || (error?.name ?? typeof error),
    text: String(error?.message ?? error).slice(0, TEXT_LENGTH),
    retriable: error?.retriable === true,
  };
}
