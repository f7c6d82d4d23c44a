// Profiles and properties as kafka-node's options.
//
// A property is `<function>.<option>`: client.requestTimeout, producer.requireAcks, consumer.fetchMaxWaitMs,
// group.sessionTimeout.
import { Unsupported } from "../../node/unsupported.js";

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
const KNOWN = {
  client: ["connectTimeout", "requestTimeout", "maxAsyncRequests", "idleConnection"],
  producer: ["requireAcks", "ackTimeoutMs"],
  consumer: ["fetchMaxWaitMs", "fetchMinBytes", "fetchMaxBytes"],
  group: [
    "fetchMaxWaitMs",
    "fetchMinBytes",
    "fetchMaxBytes",
    "maxTickMessages",
    "sessionTimeout",
    "heartbeatInterval",
    "retries",
    "retryFactor",
    "retryMinTimeout",
    "topicPartitionCheckInterval",
  ],
};

/** Return the profiles of kafka-node, the same in every version. */
export function profilesOf() {
  return Object.keys(PROFILES);
}

/**
 * Return the options of every function of the role. Throws Unsupported for a profile without a meaning for the role, an
 * unknown key and a value that is no number.
 */
export function settle(library, { role, profile, properties }) {
  if (PRODUCER_PROFILES.has(profile) && role !== "producer") {
    throw new Unsupported(`profile ${profile} sets what only producers have; role ${role} does not produce`);
  }
  const settings = Object.fromEntries(CALLS[role].map((call) => [call, { ...PROFILES[profile][call] }]));
  for (const [key, text] of Object.entries(properties)) assign(settings, key, text, library, role);
  return settings;
}

function assign(settings, key, text, library, role) {
  const [call, name, ...rest] = key.split(".");
  const known = !rest.length && Object.hasOwn(settings, call) && KNOWN[call].includes(name);
  if (!known) throw new Unsupported(`kafka-node ${library.version} has no setting '${key}' for role ${role}`);
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) {
    throw new Unsupported(`kafka-node setting ${key} does not take '${text}'`);
  }
  settings[call][name] = value;
}
