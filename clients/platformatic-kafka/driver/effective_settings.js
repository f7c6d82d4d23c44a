// The effective settings under driver.proto's names, from the options that the library holds once it is constructed.
import { isSince } from "../../node/versions.js";

/** Default of a connection, which no client's defaults name (dist/network/connection.js, defaultOptions). */
const REQUEST_TIMEOUT_MS = 30_000;
/** The first version in which a request without a response has a limit (dist/network/connection.js, onRequestTimeout). */
const TIMED = "1.27.0";
/** Interval in milliseconds at which consumers are fed. */
const FEED_MS = 100;
const ACKS = { "-1": "all" };
const LEADER = 1;

/** Return the settings of a constructed client as driver.proto names them, as texts. */
export function effective(library, { role, interval_ms: interval }, settings, client) {
  const options = library.optionsOf(client);
  const found = {
    retries: options.retries,
    retry_backoff_ms: options.retryDelay,
    longest_backoff_ms: options.retryDelay,
    ...(isSince(library, TIMED) && { request_timeout_ms: options.requestTimeout ?? REQUEST_TIMEOUT_MS }),
    ...(role !== "admin" && refresh(options, interval)),
    ...(settings.producer && ofProducers(options, settings.send)),
    ...(settings.consumer && ofGroups(options)),
  };
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, String(value)]));
}

/** Metadata is requested by the first operation that finds it too old (dist/clients/base/base.js), not by a timer. */
function refresh({ metadataMaxAge: age, maxWaitTime = 0 }, interval = 0) {
  return { refresh_least_ms: age, refresh_ms: age + maxWaitTime + 2 * Math.max(interval, FEED_MS) };
}

function ofProducers({ idempotent, maxInflights, compression }, send) {
  const acks = String(send.acks ?? (idempotent ? -1 : LEADER));
  return {
    acks: ACKS[acks] ?? acks,
    idempotence: idempotent,
    max_in_flight: maxInflights,
    compression: send.compression ?? compression ?? "none",
  };
}

function ofGroups({ sessionTimeout, rebalanceTimeout, heartbeatInterval }) {
  return {
    session_timeout_ms: sessionTimeout,
    rebalance_timeout_ms: rebalanceTimeout,
    heartbeat_ms: heartbeatInterval,
    offset_reset: "earliest",
  };
}
