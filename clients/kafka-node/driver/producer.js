// Role producer: Producer.send() to a given partition or with a key; results by its callback.
//
// The library gathers nothing by itself: records that begin together are one call.
import { sendTogether } from "../../node/sending.js";
import { runWorkload } from "../../node/workload.js";
import { close, construct, newClient, once } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** `partitionerType` of Producer: by the partition of the record, or by its key. */
const [BY_PARTITION, BY_KEY] = [0, 3];

/** Produce the records of the workload until closing is requested. */
export async function producer(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = newClient(library, start, reports, settings);
  const partitionerType = start.workload === "keyed" ? BY_KEY : BY_PARTITION;
  const options = { ...settings.producer, partitionerType };
  const sending = construct(library, () => new library.Producer(client, options));
  reports.ready(effective(start, settings, client, sending));
  try {
    await once(sending, "ready");
    sending.on("error", (error) => reports.notice(`error ${errorOf(error).text}`));
    const send = sender(sending, start);
    runWorkload(start, stopping, (...operation) => sendTogether(send, errorOf, start, reports, ...operation));
    await stopping.waitUntilAsked();
  } finally {
    await close(sending);
  }
}

/** Return a function that sends records of one partition or key by one call; it returns their place. */
function sender(sending, { topic }) {
  return (records) => {
    const [{ partition, key }] = records;
    const place = key === undefined ? { partition } : { key };
    const payload = { topic, ...place, messages: records.map(({ value }) => value) };
    return new Promise((resolve, reject) => {
      sending.send([payload], (error, data) => (error ? reject(error) : resolve(placeOf(data?.[topic]))));
    });
  };
}

function placeOf(partitions) {
  const [first] = Object.entries(partitions ?? {});
  return { partition: first && Number(first[0]), offset: first ? Number(first[1]) : -1 };
}
