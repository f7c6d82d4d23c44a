// Role producer: producer.send() to a given partition or with a key; results by the returned promise.
//
// KafkaJS gathers nothing by itself: records that begin together are one call.
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { clockUs } from "./clock.js";
import { destination } from "./series.js";
import { settle } from "./settings.js";
import { runWorkload, valueOf } from "./workload.js";

/** Produce the records of the workload until closing is requested. */
export async function producer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.producer(settings.producer));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const send = (message) => client.send({ ...settings.send, ...message });
    runWorkload(start, stopping, (...operation) => sendTogether(send, start, reports, ...operation));
    await stopping.waitUntilAsked();
  });
}

/** Send records of one series in one call and report each; return the error, null without one. Never rejects. */
export async function sendTogether(send, start, reports, partition, sequences) {
  const messages = sequences.map((sequence) => {
    const clock = clockUs();
    reports.sent(partition, sequence, clock);
    return { ...destination(start, partition, sequence), value: valueOf(start.instance, partition, sequence, clock) };
  });
  try {
    const results = await send({ topic: start.topic, messages });
    const stored = placeOf(results);
    sequences.forEach((sequence, place) =>
      reports.acked(stored.partition ?? partition, sequence, stored.offset < 0 ? -1 : stored.offset + place),
    );
    return null;
  } catch (error) {
    for (const sequence of sequences) reports.sendError(partition, sequence, errorOf(error));
    return error;
  }
}

/** Return partition and offset of the first record; the offset is -1 where the library has none, as with acks=0. */
function placeOf(results) {
  const result = results?.find(Boolean);
  return { partition: result?.partition, offset: Number(result?.baseOffset ?? result?.offset ?? -1) };
}
