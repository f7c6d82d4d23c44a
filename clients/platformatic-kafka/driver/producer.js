// Role producer: Producer.send() to a given partition or with a key; results by the returned promise.
//
// The library gathers nothing by itself: records that begin together are one call. A call for several partitions fails as
// a whole, so there is one for each.
import { sendTogether } from "../../node/sending.js";
import { runWorkload } from "../../node/workload.js";
import { closing, construct } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** Produce the records of the workload until closing is requested. */
export async function producer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, library.Producer, settings.producer);
  reports.ready(effective(library, start, settings, client));
  await closing(() => client.close(), async () => {
    const send = sender(client, settings, start);
    runWorkload(start, stopping, (...operation) => sendTogether(send, errorOf, start, reports, ...operation));
    await stopping.waitUntilAsked();
  });
}

/** Return a function that sends records by one call of a producer or transaction; it returns their place. */
export function sender(target, settings, { topic }) {
  return async (records) => {
    const messages = records.map(({ partition, key, value }) => ({
      topic,
      value: Buffer.from(value),
      ...(key === undefined ? { partition } : { key: Buffer.from(key) }),
    }));
    const { offsets } = await target.send({ ...settings.send, messages });
    const first = offsets?.[0];
    return { partition: first?.partition, offset: Number(first?.offset ?? -1) };
  };
}
