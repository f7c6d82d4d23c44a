// Role producer: producer.send() to a given partition or with a key; results by the returned promise.
//
// KafkaJS gathers nothing by itself: records that begin together are one call.
import { sendTogether } from "../../node/sending.js";
import { runWorkload } from "../../node/workload.js";
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** Produce the records of the workload until closing is requested. */
export async function producer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.producer(settings.producer));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const send = sender(client, settings, start);
    runWorkload(start, stopping, (...operation) => sendTogether(send, errorOf, start, reports, ...operation));
    await stopping.waitUntilAsked();
  });
}

/** Return a function that sends records by one call of a producer or transaction; it returns their place. */
export function sender(target, settings, { topic }) {
  return async (messages) => placeOf(await target.send({ ...settings.send, topic, messages }));
}

function placeOf(results) {
  const result = results?.find(Boolean);
  return { partition: result?.partition, offset: Number(result?.baseOffset ?? result?.offset ?? -1) };
}
