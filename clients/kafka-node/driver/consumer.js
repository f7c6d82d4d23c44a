// Role consumer: Consumer of given partitions, from their first record.
import { close, construct, newClient, once } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

const EARLIEST = -2;

/** Consume the partitions until closing is requested. */
export async function consumer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = newClient(library, start, reports, settings);
  reports.ready(effective(start, settings, client));
  try {
    await once(client, "ready");
    const offset = new library.Offset(client);
    offset.on("error", () => {}); // that of the client, which the consumer reports
    const first = await firstOffsets(offset, start);
    const wanted = start.partitions.map((partition) => ({ topic: start.topic, partition, offset: first[partition] }));
    const options = { ...settings.consumer, autoCommit: false, fromOffset: true };
    const reading = construct(library, () => new library.Consumer(client, wanted, options));
    reading.on("message", (message) => reports.received(message.partition, message.offset, String(message.value ?? "")));
    reading.on("error", (error) => stopping.asked || reports.receiveError(errorOf(error)));
    reading.on("offsetOutOfRange", (error) => reset(offset, reading, error, reports, stopping));
    await stopping.waitUntilAsked();
  } finally {
    await close(client);
  }
}

function firstOffsets(offset, { topic }) {
  return new Promise((resolve, reject) => {
    offset.fetchEarliestOffsets([topic], (error, found) => (error ? reject(error) : resolve(found[topic])));
  });
}

/** Go to the first record, as in the library's example: the consumer leaves that to its application. */
function reset(offset, reading, error, reports, stopping) {
  const { topic, partition } = error;
  if (!stopping.asked) reports.receiveError(errorOf(error));
  offset.fetch([{ topic, partition, time: EARLIEST, maxNum: 1 }], (failed, found) => {
    if (failed) reports.notice(`offset ${errorOf(failed).text}`);
    else reading.setOffset(topic, partition, found[topic][partition][0]);
  });
}
