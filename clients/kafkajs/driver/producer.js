// Role producer: producer.send() to a given partition; results by the returned promise.
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";
import { runWorkload, valueOf } from "./workload.js";

/** Produce to every partition, one record per interval, until closing is requested. */
export async function producer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.producer(settings.producer));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const send = (message) => client.send({ ...settings.send, ...message });
    runWorkload(start, stopping, (...operation) => sendOne(send, start, reports, ...operation));
    await stopping.waitUntilAsked();
  });
}

/** Send a record and report it; return the error, null without one. Never rejects. */
export async function sendOne(send, start, reports, partition, sequence, clock) {
  const value = valueOf(start.instance, partition, sequence, clock);
  reports.sent(partition, sequence, clock);
  try {
    const results = await send({ topic: start.topic, messages: [{ partition, value }] });
    reports.acked(partition, sequence, offsetOf(results));
    return null;
  } catch (error) {
    reports.sendError(partition, sequence, errorOf(error));
    return error;
  }
}

/** Return the offset of the record; -1 where the library has none, as with acks=0. */
function offsetOf(results) {
  const result = results?.find(Boolean);
  return Number(result?.baseOffset ?? result?.offset ?? -1);
}
