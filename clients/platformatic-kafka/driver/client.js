// The client of a role: constructed, its events reported, closed.
import { setTimeout as sleep } from "node:timers/promises";

import { fetchToken } from "../../node/tokens.js";
import { Unsupported } from "../../node/unsupported.js";
import { errorOf } from "./errors.js";

/** Milliseconds that a client has to close after an exception. */
const CLOSE_MS = 2000;
/** Events about connections, reported with the address of the broker. */
const CONNECTIONS = ["client:broker:disconnect", "client:broker:failed"];

/** Construct a client of a class of the library; Unsupported for settings that it rejects. */
export function construct(library, start, reports, Class, options) {
  try {
    const client = new Class({
      ...options,
      ...secured(start.security),
      clientId: start.client_id,
      bootstrapBrokers: start.bootstrap,
      strict: true,
    });
    for (const event of CONNECTIONS) {
      client.on(event, ({ broker } = {}) => reports.notice(`${event} ${broker?.host ?? ""}:${broker?.port ?? ""}`));
    }
    return client;
  } catch (error) {
    throw new Unsupported(`${library.family} ${library.version} rejects these settings: ${errorOf(error).text}`);
  }
}

/** The options for the listener's security; none for PLAINTEXT. */
function secured(asked) {
  return {
    ...(asked?.authority && { tls: { ca: [asked.authority], ...own(asked) } }),
    ...(asked?.mechanism && { sasl: { mechanism: asked.mechanism, ...credentials(asked) } }),
  };
}

/** The client's own certificate, where brokers ask for one. */
function own(asked) {
  return asked.certificate ? { cert: asked.certificate, key: asked.key } : {};
}

/** User and password, or the application's token function, which the library calls at each log-in. */
function credentials(asked) {
  return asked.token_endpoint
    ? { token: () => fetchToken(asked) }
    : { username: asked.user, password: asked.password };
}

/** Work, then close by `close()`. Throws what the library throws, after an attempt to close. */
export async function closing(close, work) {
  try {
    await work();
  } catch (error) {
    await Promise.race([Promise.resolve(close()).catch(() => {}), sleep(CLOSE_MS)]);
    throw error;
  }
  await close();
}
