// What all roles do with a client: construct it, connect it, close it, pass its log on.
import { setTimeout as sleep } from "node:timers/promises";

import { Unsupported } from "./unsupported.js";

/** A client that threw gets so long to close. */
const UNASKED_MS = 2000;

/** Construct; what the library refuses is unsupported. `make` gets a Kafka of these settings. */
export function construct(library, start, reports, settings, make) {
  try {
    return make(
      new library.Kafka({
        ...settings.client,
        clientId: start.client_id,
        brokers: start.bootstrap,
        logLevel: library.logLevel.WARN,
        logCreator: () => (entry) => reports.notice(lineOf(entry)),
      }),
    );
  } catch (error) {
    throw new Unsupported(`kafkajs ${library.version} refuses these settings: ${error.message}`);
  }
}

/** Connect, work, disconnect. Throws what the library throws; a client that threw gets a moment to close. */
export async function connected(client, work) {
  try {
    await client.connect();
    await work();
  } catch (error) {
    await Promise.race([client.disconnect().catch(() => {}), sleep(UNASKED_MS)]);
    throw error;
  }
  await client.disconnect();
}

function lineOf({ label, namespace, log }) {
  const { message, error, retryCount } = log;
  const more = [error && `error=${error.message ?? error}`, retryCount !== undefined && `retryCount=${retryCount}`];
  return [`log: ${label} [${namespace}] ${message}`, ...more.filter(Boolean)].join(" ").slice(0, 400);
}
