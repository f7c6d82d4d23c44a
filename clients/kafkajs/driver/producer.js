// Role producer: producer.send() to a given partition, results by the promise that it returns.
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";
import { beat, valueOf } from "./workload.js";

/** Produce on each partition, one record a beat, until asked to stop. */
export async function producer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.producer(settings.producer));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const send = (message) => client.send({ ...settings.send, ...message });
    beat(start, stopping, (...operation) => sendOne(send, start, reports, stopping, ...operation));
    await stopping.waitLong();
  });
}

/** Send a record and report it; return what went wrong. Never rejects. */
export async function sendOne(send, start, reports, stopping, partition, sequence, clock) {
  const value = valueOf(start.instance, partition, sequence, clock);
  reports.sent(partition, sequence, clock);
  try {
    const results = await send({ topic: start.topic, messages: [{ partition, value }] });
    reports.acked(partition, sequence, offsetOf(results));
    return null;
  } catch (error) {
    // What was open while we closed the client is no answer of the library.
    if (!stopping.asked) reports.sendError(partition, sequence, errorOf(error));
    return error;
  }
}

/** Return the offset of the one record; -1 where the library tells none, as with acks=0. */
function offsetOf(results) {
  const told = results?.find(Boolean);
  return Number(told?.baseOffset ?? told?.offset ?? -1);
}
