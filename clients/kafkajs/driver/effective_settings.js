// The effective settings under driver.proto's names. KafkaJS has no getter for them, so its defaults are listed here
// with their source, except for those of retries, which have their own file (src/retry/defaults.js).
import { isSince } from "../../node/versions.js";

const METADATA_MAX_AGE_MS = 300_000; // src/index.js
const REQUEST_TIMEOUT_MS = 30_000; // src/cluster/index.js; before 1.13.0 src/network/connection.js
// src/consumer/index.js
const OF_GROUPS = { sessionTimeout: 30_000, rebalanceTimeout: 60_000, heartbeatInterval: 3000 };
const MAX_WAIT_MS = 5000;
/** Interval in milliseconds at which consumers are fed. */
const FEED_MS = 100;
const ACKS = { "-1": "all" };

/** Return the settings as driver.proto names them, as texts; settings that KafkaJS lacks are left out. */
export function effective(library, { role, interval_ms: interval }, settings) {
  const own = settings.producer ?? settings.consumer ?? settings.admin;
  const retry = retryOf(library, role, settings, own);
  const found = {
    retry_backoff_ms: retry.initialRetryTime,
    longest_backoff_ms: longestWait(retry, settings.consumer),
    ...requestTimeout(library, settings.client),
    ...(role !== "admin" && refresh(own.metadataMaxAge ?? METADATA_MAX_AGE_MS, interval)),
    ...(settings.producer && ofProducers(settings, retry)),
    ...(settings.consumer && ofGroups(own)),
  };
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]));
}

/** Return the options of retries as KafkaJS merges them (src/index.js, src/retry/index.js). */
function retryOf(library, role, settings, own) {
  // From 1.13.0 on the default of a consumer is five retries, whatever the client's setting is.
  const fallback = role === "group" && isSince(library, "1.13.0") ? { retries: 5 } : {};
  return { ...library.retryDefaults, ...settings.client.retry, ...(own.retry ?? fallback) };
}

/**
 * Return the longest wait of a call before a retry in milliseconds: every wait is `multiplier` times the one before,
 * within `factor` (src/retry/index.js). For consumers, return the longest absence: all retries, after each of which
 * fetchers of other brokers may sleep for maxWaitTimeInMs (src/consumer/fetchManager.js, 2.0.0 on), and the wait before
 * a restart (src/consumer/index.js, onCrash). Only then does it request metadata.
 */
function longestWait({ initialRetryTime, factor, multiplier, maxRetryTime, retries }, consumer) {
  const most = Math.max(maxRetryTime, initialRetryTime * (1 + factor));
  const wait = (number) => Math.min(initialRetryTime * (1 + factor) * (multiplier * (1 + factor)) ** number, most);
  if (!consumer) return retries < 1 ? 0 : Math.ceil(wait(retries - 1));
  const waits = Array.from({ length: Math.min(retries, 100) + 1 }, (_, number) => wait(number));
  return Math.ceil(waits.reduce((sum, one) => sum + one) + retries * (consumer.maxWaitTimeInMs ?? MAX_WAIT_MS));
}

/** Metadata is requested by the first operation that finds it too old (src/cluster/brokerPool.js), not by a timer. */
function refresh(age, interval = 0) {
  return { refresh_least_ms: age, refresh_ms: age + 2 * Math.max(interval, FEED_MS) };
}

/** Before 2.0.0 a request without a response has no limit unless a timeout is enforced. */
function requestTimeout(library, { enforceRequestTimeout, requestTimeout: timeout }) {
  const enforced = enforceRequestTimeout ?? isSince(library, "2.0.0");
  return enforced ? { request_timeout_ms: timeout ?? REQUEST_TIMEOUT_MS } : {};
}

function ofProducers({ producer, send }, retry) {
  const acks = String(send.acks ?? -1);
  return {
    acks: ACKS[acks] ?? acks,
    idempotence: producer.idempotent ?? false,
    retries: retry.retries,
    ...(producer.maxInFlightRequests && { max_in_flight: producer.maxInFlightRequests }),
  };
}

function ofGroups(consumer) {
  const { sessionTimeout, rebalanceTimeout, heartbeatInterval } = { ...OF_GROUPS, ...consumer };
  return {
    session_timeout_ms: sessionTimeout,
    rebalance_timeout_ms: rebalanceTimeout,
    heartbeat_ms: heartbeatInterval,
    isolation: consumer.readUncommitted ? "read_uncommitted" : "read_committed",
    offset_reset: "earliest", // as group.js subscribes; src/consumer/consumerGroup.js
  };
}
