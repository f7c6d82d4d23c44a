// The effective settings under driver.proto's names: what the library passes to librdkafka, and the defaults of that.
//
// An admin client does not show its settings, so those that the block `kafkaJS` brings are repeated here for it.

/** Defaults of librdkafka (CONFIGURATION.md of 2.15.1), under its own names. */
const DEFAULTS = {
  "message.send.max.retries": 2147483647,
  "retry.backoff.ms": 100,
  "retry.backoff.max.ms": 1000,
  "reconnect.backoff.max.ms": 10_000,
  "fetch.error.backoff.ms": 500,
  "request.timeout.ms": 30_000,
  "message.timeout.ms": 300_000,
  "socket.timeout.ms": 60_000,
  "topic.metadata.refresh.interval.ms": 300_000,
  "queue.buffering.max.ms": 5,
  "max.in.flight.requests.per.connection": 1_000_000,
  "enable.idempotence": false,
  "session.timeout.ms": 45_000,
  "max.poll.interval.ms": 300_000,
  "heartbeat.interval.ms": 3000,
  "isolation.level": "read_committed",
  "auto.offset.reset": "largest",
  "group.protocol": "classic",
  "request.required.acks": -1,
  "compression.codec": "none",
};
const ALIASES = {
  retries: "message.send.max.retries",
  "delivery.timeout.ms": "message.timeout.ms",
  "linger.ms": "queue.buffering.max.ms",
  "max.in.flight": "max.in.flight.requests.per.connection",
  acks: "request.required.acks",
  "compression.type": "compression.codec",
};
/** What an admin client gets from the block (kafkaJSToRdKafkaConfig in lib/kafkajs/_common.js). */
const ADMIN = { "socket.timeout.ms": 30_000, "retry.backoff.ms": 300, "retry.backoff.max.ms": 30_000 };
const BACK_OFFS = ["retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.max.ms", "fetch.error.backoff.ms"];

const COMMON = {
  retry_backoff_ms: "retry.backoff.ms",
  socket_timeout_ms: "socket.timeout.ms",
  refresh_ms: "topic.metadata.refresh.interval.ms",
};
const OF_PRODUCERS = {
  retries: "message.send.max.retries",
  request_timeout_ms: "request.timeout.ms",
  delivery_timeout_ms: "message.timeout.ms",
  linger_ms: "queue.buffering.max.ms",
  max_in_flight: "max.in.flight.requests.per.connection",
  idempotence: "enable.idempotence",
  acks: "request.required.acks",
  compression: "compression.codec",
};
const OF_GROUPS = {
  session_timeout_ms: "session.timeout.ms",
  rebalance_timeout_ms: "max.poll.interval.ms",
  heartbeat_ms: "heartbeat.interval.ms",
  protocol: "group.protocol",
  isolation: "isolation.level",
  offset_reset: "auto.offset.reset",
};
const OF_ROLES = {
  producer: { ...COMMON, ...OF_PRODUCERS },
  transactional: { ...COMMON, ...OF_PRODUCERS },
  group: { ...COMMON, ...OF_GROUPS },
  admin: COMMON,
};
const ACKS = { "-1": "all" };
/** librdkafka's most with idempotence (rd_kafka_conf_finalize in src/rdkafka_conf.c). */
const IDEMPOTENT_IN_FLIGHT = 5;

/** Return the settings as driver.proto names them, as texts. `passed` is what the library gave to librdkafka. */
export function effective({ role }, { block, own }, passed = { ...ADMIN, ...ofAdmin(block), ...own }) {
  const whole = { ...DEFAULTS };
  for (const [name, value] of Object.entries(passed)) whole[ALIASES[name] ?? name] = value;
  const found = Object.entries(OF_ROLES[role]).map(([name, key]) => [name, whole[key]]);
  const settings = Object.fromEntries(found.map(([name, value]) => [name, String(value)]));
  settings.longest_backoff_ms = String(Math.max(...BACK_OFFS.map((key) => Number(whole[key]))));
  if (settings.acks) settings.acks = ACKS[settings.acks] ?? settings.acks;
  if (role === "transactional") settings.idempotence = "true";
  if (settings.idempotence === "true") {
    settings.max_in_flight = String(Math.min(Number(settings.max_in_flight), IDEMPOTENT_IN_FLIGHT));
  }
  return settings;
}

function ofAdmin({ requestTimeout, retry = {} }) {
  const own = {
    "socket.timeout.ms": requestTimeout,
    "retry.backoff.ms": retry.initialRetryTime,
    "retry.backoff.max.ms": retry.maxRetryTime,
  };
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}
