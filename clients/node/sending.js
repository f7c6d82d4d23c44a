// Records of one series handed to a library together, and their results.
import { clockUs } from "./clock.js";
import { destination } from "./series.js";
import { valueOf } from "./workload.js";

/**
 * Send records of one series in one call and report each; return the error, null without one. Never rejects.
 *
 * `send(records)` gets `{ partition }` or `{ key }` with `value`, and returns the partition and offset of the first one;
 * an offset of -1 where the library has none, as with acks=0. `errorOf` is that of drive.js.
 */
export async function sendTogether(send, errorOf, start, reports, partition, sequences) {
  const records = sequences.map((sequence) => {
    const clock = clockUs();
    reports.sent(partition, sequence, clock);
    return { ...destination(start, partition, sequence), value: valueOf(start.instance, partition, sequence, clock) };
  });
  try {
    const stored = await send(records);
    sequences.forEach((sequence, place) =>
      reports.acked(stored.partition ?? partition, sequence, stored.offset < 0 ? -1 : stored.offset + place),
    );
    return null;
  } catch (error) {
    for (const sequence of sequences) reports.sendError(partition, sequence, errorOf(error));
    return error;
  }
}
