// Profiles and properties as KafkaJS's arguments, and the effective settings under driver.proto's names.
//
// A property is `<function>.<argument>`: client.requestTimeout, producer.retry.retries, send.acks,
// consumer.sessionTimeout, run.partitionsConsumedConcurrently, admin.retry.retries.
import { assign, BOOLEAN, NUMBER, ofProfile, TEXT } from "../../node/properties.js";
import { Unsupported } from "../../node/unsupported.js";
import { isSince } from "../../node/versions.js";
import { effective } from "./effective_settings.js";

const DAY_MS = 24 * 3600 * 1000;
/** No periodic refresh within any trial; KafkaJS has no value for "never". */
const NO_REFRESH = { metadataMaxAge: DAY_MS };
/** Brokers reject a session below group.min.session.timeout.ms, 6 s by default. */
const SESSION_MS = 6000;

const SHORT_LIMITS = {
  producer: { ...NO_REFRESH, transactionTimeout: 10_000 },
  consumer: { ...NO_REFRESH, sessionTimeout: SESSION_MS, rebalanceTimeout: 8000 },
};

/** The settings of every profile. */
const PROFILES = {
  isolated: { producer: NO_REFRESH, consumer: NO_REFRESH },
  defaults: {},
  idempotent: { producer: { ...NO_REFRESH, idempotent: true } },
  "no-retries": { producer: { ...NO_REFRESH, retry: { retries: 0 } } },
  "acks-1": { producer: NO_REFRESH, send: { acks: 1 } },
  "refresh-1s": { producer: { metadataMaxAge: 1000 }, consumer: { metadataMaxAge: 1000 } },
  "quick-timeouts": {
    // Before 2.0.0 a request has a timeout only where that is enforced.
    client: { requestTimeout: 5000, enforceRequestTimeout: true },
    producer: NO_REFRESH,
    consumer: { ...NO_REFRESH, sessionTimeout: SESSION_MS, rebalanceTimeout: SESSION_MS },
  },
  "short-limits": SHORT_LIMITS,
  autocommit: { consumer: SHORT_LIMITS.consumer, run: { autoCommit: true, autoCommitInterval: 1000 } },
};
/**
 * The first version that supports a profile. Before 2.0.0 concurrent sends of one idempotent producer take the same
 * sequence numbers (src/producer/sendMessages.js; KafkaJS 1050 and 1172), so it fails without a fault. Before 1.15.0
 * that file retries five times whatever the setting is.
 */
const SINCE = { idempotent: "2.0.0", "no-retries": "1.15.0" };
/** Profiles with settings that only producers have. */
const PRODUCER_PROFILES = new Set(["idempotent", "no-retries", "acks-1"]);

/** Profiles with settings that only members of a group have. */
const GROUP_PROFILES = new Set(["autocommit"]);

/** The functions that a role calls with the user's arguments. */
const CALLS = {
  producer: ["client", "producer", "send"],
  transactional: ["client", "producer", "send"],
  group: ["client", "consumer", "run"],
  admin: ["client", "admin"],
};

const RETRY = {
  "retry.maxRetryTime": NUMBER,
  "retry.initialRetryTime": NUMBER,
  "retry.factor": NUMBER,
  "retry.multiplier": NUMBER,
  "retry.retries": NUMBER,
};
const KNOWN = {
  client: { ...RETRY, connectionTimeout: NUMBER, requestTimeout: NUMBER, enforceRequestTimeout: BOOLEAN },
  producer: {
    ...RETRY,
    metadataMaxAge: NUMBER,
    allowAutoTopicCreation: BOOLEAN,
    idempotent: BOOLEAN,
    transactionTimeout: NUMBER,
    maxInFlightRequests: NUMBER,
  },
  send: { acks: NUMBER, timeout: NUMBER, compression: NUMBER },
  consumer: {
    ...RETRY,
    metadataMaxAge: NUMBER,
    sessionTimeout: NUMBER,
    rebalanceTimeout: NUMBER,
    heartbeatInterval: NUMBER,
    maxBytesPerPartition: NUMBER,
    minBytes: NUMBER,
    maxBytes: NUMBER,
    maxWaitTimeInMs: NUMBER,
    allowAutoTopicCreation: BOOLEAN,
    maxInFlightRequests: NUMBER,
    readUncommitted: BOOLEAN,
    rackId: TEXT,
  },
  run: { partitionsConsumedConcurrently: NUMBER },
  admin: RETRY,
};

/** Return the profiles of this version. */
export function profilesOf(library) {
  return Object.keys(PROFILES).filter((name) => !SINCE[name] || isSince(library, SINCE[name]));
}

/**
 * Return the arguments of every function of the role, and `effective`: the resulting settings. Throws Unsupported for a
 * profile without a meaning for the role, an unknown key and a value of another type.
 */
export function settle(library, start) {
  const { role, profile } = start;
  if (GROUP_PROFILES.has(profile) && role !== "group") {
    throw new Unsupported(`profile ${profile} sets what only members of a group have; role ${role} is none`);
  }
  const settings = ofProfile(PROFILES, CALLS[role], PRODUCER_PROFILES, start);
  if (role === "transactional") Object.assign(settings.producer, { idempotent: true, maxInFlightRequests: 1 });
  assign(settings, KNOWN, library, start);
  return { ...settings, effective: effective(library, start, settings) };
}
