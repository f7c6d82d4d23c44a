// Profiles and properties as kafka-node's options.
//
// A property is `<function>.<option>`: client.requestTimeout, producer.requireAcks, consumer.fetchMaxWaitMs,
// group.sessionTimeout.
import { assign, NUMBER, ofProfile } from "../../node/properties.js";

const DAY_MS = 24 * 3600 * 1000;
/** A group's leader asks for metadata at this interval. */
const NO_REFRESH = { topicPartitionCheckInterval: DAY_MS };
/** Brokers reject a session below group.min.session.timeout.ms, 6 s by default. */
const SHORT_GROUP = { ...NO_REFRESH, sessionTimeout: 6000 };

/** The settings of every profile. */
const PROFILES = {
  isolated: { group: NO_REFRESH },
  defaults: {},
  "acks-1": { producer: { requireAcks: 1 } },
  "quick-timeouts": { client: { requestTimeout: 5000 }, group: SHORT_GROUP },
  "short-limits": { group: SHORT_GROUP },
};
/** Profiles with settings that only producers have. */
const PRODUCER_PROFILES = new Set(["acks-1"]);

/** The functions that a role calls with the user's options. */
const CALLS = { producer: ["client", "producer"], consumer: ["client", "consumer"], group: ["client", "group"] };
const FETCHING = { fetchMaxWaitMs: NUMBER, fetchMinBytes: NUMBER, fetchMaxBytes: NUMBER };
const KNOWN = {
  client: { connectTimeout: NUMBER, requestTimeout: NUMBER, maxAsyncRequests: NUMBER, idleConnection: NUMBER },
  producer: { requireAcks: NUMBER, ackTimeoutMs: NUMBER },
  consumer: FETCHING,
  group: {
    ...FETCHING,
    maxTickMessages: NUMBER,
    sessionTimeout: NUMBER,
    heartbeatInterval: NUMBER,
    retries: NUMBER,
    retryFactor: NUMBER,
    retryMinTimeout: NUMBER,
    topicPartitionCheckInterval: NUMBER,
  },
};

/** Return the profiles of kafka-node, the same in every version. */
export function profilesOf() {
  return Object.keys(PROFILES);
}

/**
 * Return the options of every function of the role. Throws Unsupported for a profile without a meaning for the role, an
 * unknown key and a value that is no number.
 */
export function settle(library, start) {
  const settings = ofProfile(PROFILES, CALLS[start.role], PRODUCER_PROFILES, start);
  assign(settings, KNOWN, library, start);
  return settings;
}
