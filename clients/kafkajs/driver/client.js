// The client of a role: constructed, connected, closed, its log reported.
import { setTimeout as sleep } from "node:timers/promises";

import { fetchToken } from "../../node/tokens.js";
import { Unsupported } from "../../node/unsupported.js";

/** Milliseconds that a client has to close after an exception. */
const CLOSE_MS = 2000;

/** Construct a client; Unsupported for settings that the library rejects. `make` gets a Kafka of these settings. */
export function construct(library, start, reports, settings, make) {
  try {
    return make(
      new library.Kafka({
        ...settings.client,
        ...secured(start.security),
        clientId: start.client_id,
        brokers: start.bootstrap,
        logLevel: library.logLevel.WARN,
        logCreator: () => (entry) => reports.notice(lineOf(entry)),
      }),
    );
  } catch (error) {
    throw new Unsupported(`kafkajs ${library.version} rejects these settings: ${error.message}`);
  }
}

/** The arguments for the listener's security; none for PLAINTEXT. */
function secured(asked) {
  return {
    ...(asked?.authority && { ssl: { ca: [asked.authority], ...own(asked) } }),
    ...(asked?.mechanism && { sasl: { mechanism: asked.mechanism.toLowerCase(), ...credentials(asked) } }),
  };
}

/** The client's own certificate, where brokers ask for one. */
function own(asked) {
  return asked.certificate ? { cert: asked.certificate, key: asked.key } : {};
}

/** User and password, or the application's token function: each log-in asks for a new token. */
function credentials(asked) {
  if (!asked.token_endpoint) {
    return { username: asked.user, password: asked.password };
  }
  return { oauthBearerProvider: async () => ({ value: await fetchToken(asked) }) };
}

/** Connect, work, disconnect. Throws what the library throws, after an attempt to close. */
export async function connected(client, work) {
  try {
    await client.connect();
    await work();
  } catch (error) {
    await Promise.race([client.disconnect().catch(() => {}), sleep(CLOSE_MS)]);
    throw error;
  }
  await client.disconnect();
}

function lineOf({ label, namespace, log }) {
  const { message, error, retryCount } = log;
  const more = [error && `error=${error.message ?? error}`, retryCount !== undefined && `retryCount=${retryCount}`];
  return [`log: ${label} [${namespace}] ${message}`, ...more.filter(Boolean)].join(" ").slice(0, 400);
}
