// KafkaJS's errors as errors of driver.proto.
//
// An error of a broker is a KafkaJSProtocolError with `type`, a protocol name, and `code`. After retries it is the
// `cause` (2.0.0 on) or `originalError` (before) of another error; of several topics, they are the `errors` of one. KafkaJS
// assigns -99 to codes that it does not know.

const TEXT_LENGTH = 400;
const DEEPEST = 8;
const RENAMED = {
  UNKNOWN: "UNKNOWN_SERVER_ERROR",
  NOT_LEADER_FOR_PARTITION: "NOT_LEADER_OR_FOLLOWER",
  GROUP_LOAD_IN_PROGRESS: "COORDINATOR_LOAD_IN_PROGRESS",
  GROUP_COORDINATOR_NOT_AVAILABLE: "COORDINATOR_NOT_AVAILABLE",
  NOT_COORDINATOR_FOR_GROUP: "NOT_COORDINATOR",
};

/** Convert anything thrown; `retriable` is that of the thrown error itself. */
export function errorOf(thrown) {
  const answered = protocolError(thrown);
  return {
    code: answered?.code ?? -1,
    name: answered ? (RENAMED[answered.type] ?? answered.type) : "",
    type: thrown?.name ?? typeof thrown,
    text: String(thrown?.message ?? thrown).slice(0, TEXT_LENGTH),
    retriable: thrown?.retriable === true,
  };
}

function protocolError(thrown) {
  let error = thrown;
  for (let depth = 0; error && depth < DEEPEST; depth += 1) {
    if (typeof error.type === "string" && Number.isInteger(error.code) && error.code >= -1) return error;
    error = error.cause ?? error.originalError ?? error.errors?.[0];
  }
  return undefined;
}
