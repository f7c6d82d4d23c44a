// The client of a role: constructed, connected, closed, its log reported.
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

import { Unsupported } from "../../node/unsupported.js";
import { effective } from "./effective_settings.js";

/** Milliseconds that a client has to close after an exception. */
const CLOSE_MS = 2000;
const TEXT_LENGTH = 400;

/**
 * Make a client by a function of Kafka: "producer", "consumer" or "admin". Report `ready`, connect, work, disconnect.
 * Throws what the library throws, after an attempt to close, and Unsupported for settings that it rejects.
 */
export async function connected(library, start, reports, settings, kind, work) {
  const client = construct(library, start, reports, settings, kind);
  const connecting = client.connect();
  await refused(library, connecting);
  reports.ready(effective(start, settings, client._getInternalClient?.().globalConfig));
  try {
    await connecting;
    await work(client);
  } catch (error) {
    await Promise.race([client.disconnect().catch(() => {}), sleep(CLOSE_MS)]);
    throw error;
  }
  await client.disconnect();
}

/** Make a client that is not connected; Unsupported for settings that the library rejects. */
export function construct(library, start, reports, { block, own }, kind) {
  const ours = { brokers: start.bootstrap, clientId: start.client_id, logger: loggerOf(reports) };
  try {
    return new library.Kafka({ kafkaJS: ours })[kind]({ kafkaJS: block, ...own });
  } catch (error) {
    throw unsupported(library, error);
  }
}

/** librdkafka reads its settings when connecting begins, and refuses them before it sends a request. */
async function refused(library, connecting) {
  const failure = connecting.then(
    () => null,
    (error) => error,
  );
  const error = await Promise.race([failure, nextTurn(null)]);
  if (error) throw unsupported(library, error);
}

function unsupported(library, error) {
  return new Unsupported(`${library.family} ${library.version} rejects these settings: ${error.message}`);
}

/** Errors of a client as a whole and of a consumer reach its log only (errorCb, worker in lib/kafkajs). */
function loggerOf(reports) {
  const report = (level) => (message, { fac = "" } = {}) =>
    reports.notice(`log: ${level} [${fac}] ${message}`.replace(/\s+/g, " ").slice(0, TEXT_LENGTH));
  const logger = { setLogLevel() {}, debug() {}, info() {}, warn: report("WARN"), error: report("ERROR") };
  return { ...logger, namespace: () => logger };
}
