// Profiles and properties as the library's options.
//
// A property is `<function>.<option>`: producer.retries, send.acks, consumer.sessionTimeout, consume.maxWaitTime,
// admin.retries. `producer`, `consumer` and `admin` are constructors.
import { assign, BOOLEAN, NUMBER, ofProfile, TEXT } from "../../node/properties.js";
import { Unsupported } from "../../node/unsupported.js";
import { isSince } from "../../node/versions.js";

const DAY_MS = 24 * 3600 * 1000;
/** No periodic refresh within any trial; the library has no value for "never". */
const NO_REFRESH = { metadataMaxAge: DAY_MS };
const SECOND = { metadataMaxAge: 1000 };
/** Brokers reject a session below group.min.session.timeout.ms, 6 s by default. */
const SESSION_MS = 6000;
const QUICK = { ...NO_REFRESH, timeout: 5000, requestTimeout: 5000 };
/** A rebalance timeout below the session's is rejected. */
const SHORT_GROUP = { sessionTimeout: SESSION_MS, rebalanceTimeout: SESSION_MS };

/**
 * For InitProducerId: this producer has no id yet. The library's own default is id 0 with epoch 0, by which brokers fence
 * a producer whose transactional id was in use before (#initIdempotentProducer in dist/clients/producer/producer.js).
 */
const NO_PRODUCER = { producerId: -1n, producerEpoch: -1 };

/** Groups of KIP-848. */
export const CONSUMER_PROTOCOL = "consumer-protocol";

/** The settings of every profile. */
const PROFILES = {
  isolated: { producer: NO_REFRESH, consumer: NO_REFRESH, admin: NO_REFRESH },
  defaults: {},
  idempotent: { producer: { ...NO_REFRESH, idempotent: true } },
  "no-retries": { producer: { ...NO_REFRESH, retries: 0 } },
  "acks-1": { producer: NO_REFRESH, send: { acks: 1 } },
  zstd: { producer: NO_REFRESH, send: { compression: "zstd" } },
  "refresh-1s": { producer: SECOND, consumer: SECOND, admin: SECOND },
  "quick-timeouts": { producer: QUICK, consumer: { ...QUICK, ...SHORT_GROUP }, admin: QUICK },
  "short-limits": {
    producer: NO_REFRESH,
    consumer: { ...NO_REFRESH, ...SHORT_GROUP, rebalanceTimeout: 8000 },
    admin: NO_REFRESH,
  },
  [CONSUMER_PROTOCOL]: { consumer: { ...NO_REFRESH, groupProtocol: "consumer" } },
};
/** The first version that supports a profile: the codec is that of Node 22 and newer. */
const SINCE = { zstd: "2.0.0", [CONSUMER_PROTOCOL]: "1.18.0" };
/** Profiles with settings that only producers have. */
const PRODUCER_PROFILES = new Set(["idempotent", "no-retries", "acks-1", "zstd"]);

/** The functions that a role calls with the user's options. */
const CALLS = {
  producer: ["producer", "send"],
  transactional: ["producer", "send"],
  group: ["consumer", "consume"],
  admin: ["admin"],
};

const BASE = {
  timeout: NUMBER,
  connectTimeout: NUMBER,
  requestTimeout: NUMBER,
  retries: NUMBER,
  retryDelay: NUMBER,
  maxInflights: NUMBER,
  metadataMaxAge: NUMBER,
  autocreateTopics: BOOLEAN,
};
const READING = { minBytes: NUMBER, maxBytes: NUMBER, maxBytesPerPartition: NUMBER, maxWaitTime: NUMBER };
const KNOWN = {
  producer: { ...BASE, idempotent: BOOLEAN, repeatOnStaleMetadata: BOOLEAN },
  send: { acks: NUMBER, compression: TEXT, repeatOnStaleMetadata: BOOLEAN, autocreateTopics: BOOLEAN },
  consumer: { ...BASE, sessionTimeout: NUMBER, rebalanceTimeout: NUMBER, heartbeatInterval: NUMBER, groupProtocol: TEXT, ...READING },
  consume: { ...READING, highWaterMark: NUMBER },
  admin: BASE,
};

/** Return the profiles of this version. */
export function profilesOf(library) {
  return Object.keys(PROFILES).filter((name) => !SINCE[name] || isSince(library, SINCE[name]));
}

/**
 * Return the options of every function of the role. Throws Unsupported for a profile without a meaning for the role, an
 * unknown key and a value of another type.
 */
export function settle(library, start) {
  const { role, profile } = start;
  if (profile === CONSUMER_PROTOCOL && role !== "group") {
    throw new Unsupported(`profile ${profile} sets what only members of a group have; role ${role} is none`);
  }
  const settings = ofProfile(PROFILES, CALLS[role], PRODUCER_PROFILES, start);
  if (role === "transactional") {
    Object.assign(settings.producer, { idempotent: true, ...(profile !== "defaults" && NO_PRODUCER) });
  }
  assign(settings, KNOWN, library, start);
  return settings;
}
