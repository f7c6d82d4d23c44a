// Profiles and properties as the library's settings: a block `kafkaJS`, and librdkafka's own settings beside it.
//
// A property is `kafkaJS.<name>`, such as kafkaJS.retry.retries, or the name of a setting of librdkafka.
import { assign, BOOLEAN, NUMBER, TEXT } from "../../node/properties.js";
import { Unsupported } from "../../node/unsupported.js";
import { isSince } from "../../node/versions.js";

/** The name of the block, and of its properties. */
const BLOCK = "kafkaJS";
/** As in clients/python/driver_runtime/librdkafka_settings.py. */
const NO_REFRESH = { "topic.metadata.refresh.interval.ms": -1 };
const SHORT = {
  ...NO_REFRESH,
  "session.timeout.ms": 6000,
  "max.poll.interval.ms": 8000,
  "transaction.timeout.ms": 10_000,
};
const STATIC_MEMBER = "static-member";
const CONSUMER_PROTOCOL = "consumer-protocol";

/** The settings of every profile, those of clients/librdkafka. */
const PROFILES = {
  isolated: NO_REFRESH,
  defaults: {},
  idempotent: { ...NO_REFRESH, "enable.idempotence": true },
  "no-retries": { ...NO_REFRESH, "message.send.max.retries": 0 },
  "acks-1": { ...NO_REFRESH, acks: 1 },
  "refresh-1s": { "topic.metadata.refresh.interval.ms": 1000, "metadata.max.age.ms": 3000 },
  "quick-timeouts": {
    ...NO_REFRESH,
    "socket.timeout.ms": 5000,
    "request.timeout.ms": 5000,
    "session.timeout.ms": 6000,
    "socket.connection.setup.timeout.ms": 5000,
  },
  "short-limits": SHORT,
  [STATIC_MEMBER]: SHORT,
  cooperative: { ...SHORT, "partition.assignment.strategy": "cooperative-sticky" },
  [CONSUMER_PROTOCOL]: { ...NO_REFRESH, "group.protocol": "consumer" },
};
/** The first version that supports a profile: the librdkafka inside has the new group protocol since 2.12.0. */
const SINCE = { [CONSUMER_PROTOCOL]: "1.6.0" };
/** Profiles with settings that only producers have, and only members of a group. */
const PRODUCER_PROFILES = new Set(["idempotent", "no-retries", "acks-1"]);
const GROUP_PROFILES = new Set([STATIC_MEMBER, "cooperative", CONSUMER_PROTOCOL]);
const PRODUCING = new Set(["producer", "transactional"]);
/** librdkafka logs a warning for a setting of another kind of client. */
const OF_PRODUCERS = new Set(["transaction.timeout.ms", "request.timeout.ms"]);
const OF_GROUPS = new Set(["session.timeout.ms", "max.poll.interval.ms"]);

/** The properties of the block (kafkaJSProperties in lib/kafkajs/_common.js), by role. */
const COMMON = {
  requestTimeout: NUMBER,
  enforceRequestTimeout: BOOLEAN,
  connectionTimeout: NUMBER,
  authenticationTimeout: NUMBER,
  "retry.maxRetryTime": NUMBER,
  "retry.initialRetryTime": NUMBER,
  "retry.retries": NUMBER,
};
const OF_PRODUCER = {
  ...COMMON,
  metadataMaxAge: NUMBER,
  allowAutoTopicCreation: BOOLEAN,
  transactionTimeout: NUMBER,
  idempotent: BOOLEAN,
  maxInFlightRequests: NUMBER,
  compression: TEXT,
  acks: NUMBER,
  timeout: NUMBER,
};
const OF_CONSUMER = {
  ...COMMON,
  sessionTimeout: NUMBER,
  rebalanceTimeout: NUMBER,
  heartbeatInterval: NUMBER,
  metadataMaxAge: NUMBER,
  allowAutoTopicCreation: BOOLEAN,
  maxBytesPerPartition: NUMBER,
  maxWaitTimeInMs: NUMBER,
  minBytes: NUMBER,
  maxBytes: NUMBER,
  readUncommitted: BOOLEAN,
  maxInFlightRequests: NUMBER,
  rackId: TEXT,
};
const KNOWN = { producer: OF_PRODUCER, transactional: OF_PRODUCER, group: OF_CONSUMER, admin: COMMON };

/** Return the profiles of this version. */
export function profilesOf(library) {
  return Object.keys(PROFILES).filter((name) => !SINCE[name] || isSince(library, SINCE[name]));
}

/**
 * Return the settings of a role: `block` of the interface like KafkaJS's, `own` of librdkafka. Throws Unsupported for a
 * profile without a meaning for the role, an unknown name in the block and a value of another type.
 */
export function settle(library, start) {
  const { role, profile, properties } = start;
  checkRole(role, profile);
  const own = Object.fromEntries(Object.entries(PROFILES[profile]).filter(([name]) => isOf(role, name)));
  if (profile === STATIC_MEMBER) own["group.instance.id"] = start.instance;
  const [inBlock, others] = [{}, {}];
  for (const [name, text] of Object.entries(properties)) {
    if (name.startsWith(`${BLOCK}.`)) inBlock[name] = text;
    else others[name] = valueOf(text);
  }
  const settings = { [BLOCK]: {} };
  assign(settings, { [BLOCK]: KNOWN[role] }, library, { role, properties: inBlock });
  return { block: settings[BLOCK], own: { ...own, ...others } };
}

function checkRole(role, profile) {
  if (PRODUCER_PROFILES.has(profile) && !PRODUCING.has(role)) {
    throw new Unsupported(`profile ${profile} sets what only producers have; role ${role} does not produce`);
  }
  if (GROUP_PROFILES.has(profile) && role !== "group") {
    throw new Unsupported(`profile ${profile} sets what only members of a group have; role ${role} is none`);
  }
}

function isOf(role, name) {
  if (OF_PRODUCERS.has(name)) return PRODUCING.has(role);
  return !OF_GROUPS.has(name) || role === "group";
}

/** The library looks into some settings itself, so that "false" must not be a text. */
function valueOf(text) {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
