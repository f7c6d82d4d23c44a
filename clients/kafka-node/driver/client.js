// The client of a role: constructed, connected, closed, its events reported.
import { setTimeout as sleep } from "node:timers/promises";

import { Unsupported } from "../../node/unsupported.js";
import { errorOf } from "./errors.js";

/** Milliseconds that a client has to close. */
const CLOSE_MS = 2000;
const EVENTS = ["reconnect", "brokersChanged"];

/** Construct; Unsupported for settings that the library rejects. */
export function construct(library, make) {
  try {
    return make();
  } catch (error) {
    throw new Unsupported(`kafka-node ${library.version} rejects these settings: ${error.message}`);
  }
}

/** Return a KafkaClient, whose events become notices. */
export function newClient(library, start, reports, settings) {
  const options = { ...settings.client, kafkaHost: start.bootstrap.join(","), clientId: start.client_id };
  const client = construct(library, () => new library.KafkaClient(options));
  watch(client, reports);
  return client;
}

/** Report the events of a KafkaClient. */
export function watch(client, reports) {
  for (const event of EVENTS) client.on(event, () => reports.notice(event));
  client.on("socket_error", (error) => reports.notice(`socket_error ${errorOf(error).text}`));
}

/** Wait for an event, or reject by the first `error` before it. */
export function once(emitter, event) {
  return new Promise((resolve, reject) => {
    emitter.once(event, resolve);
    emitter.once("error", reject);
  });
}

/** Close by a call with a callback, in limited time: a close waits for answers that may never come. */
export function close(target, ...given) {
  return Promise.race([new Promise((resolve) => target.close(...given, resolve)), sleep(CLOSE_MS)]);
}
