// The effective settings under driver.proto's names, from the objects that the library fills with its defaults.

const NEVER = -1;
const ACKS = { "-1": "all" };

/** Return the settings of a constructed client, and of the producer or group made with it, as texts. */
export function effective({ role }, settings, client, made) {
  const found = {
    request_timeout_ms: client.options.requestTimeout,
    ...(role === "producer" && { refresh_ms: NEVER, retries: 0, acks: ACKS[made.requireAcks] ?? made.requireAcks }),
    ...(role === "consumer" && { refresh_ms: NEVER, offset_reset: "earliest" }),
    ...(role === "group" && ofGroups(made.options)),
  };
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]));
}

/** The longest wait is that of the last retry (lib/consumerGroupRecovery.js, getRetryTimeout). */
function ofGroups({ sessionTimeout, heartbeatInterval, topicPartitionCheckInterval, retries, retryFactor, retryMinTimeout }) {
  return {
    session_timeout_ms: sessionTimeout,
    heartbeat_ms: heartbeatInterval,
    refresh_ms: topicPartitionCheckInterval,
    retries,
    retry_backoff_ms: retryMinTimeout,
    longest_backoff_ms: Math.ceil(retryMinTimeout * retryFactor ** (retries - 1)),
    offset_reset: "earliest",
  };
}
