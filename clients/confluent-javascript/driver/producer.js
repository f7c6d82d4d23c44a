// Role producer: producer.send() to a given partition or with a key; results by the returned promise.
//
// Each record is a call of its own, also of a burst: librdkafka gathers them, and a call fails as a whole.
import { sendTogether } from "../../node/sending.js";
import { runWorkload } from "../../node/workload.js";
import { connected } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** Produce the records of the workload until closing is requested, or until the client is unusable. */
export async function producer(library, start, reports, stopping) {
  await connected(library, start, reports, settle(library, start), "producer", async (client) => {
    const send = sender(client, start);
    let unusable;
    const ended = new Promise((_, reject) => (unusable = reject));
    const one = async (partition, sequence) => {
      const error = await sendTogether(send, errorOf, start, reports, partition, [sequence]);
      if (error?.fatal) unusable(error);
    };
    const all = (partition, sequences) => Promise.all(sequences.map((sequence) => one(partition, sequence)));
    runWorkload(start, stopping, all);
    await Promise.race([stopping.waitUntilAsked(), ended]);
  });
}

/** Return a function that sends records by one call; it returns the place of the first one. */
export function sender(client, { topic }) {
  return async (messages) => {
    const [result] = await client.send({ topic, messages });
    return { partition: result?.partition, offset: Number(result?.baseOffset ?? -1) };
  };
}
