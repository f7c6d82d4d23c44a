// The questions of role admin: one per interval and partition, and one about the cluster, each in turn (driver.proto).
import { clockUs } from "./clock.js";
import { single } from "./series.js";
import { runWorkload } from "./workload.js";

/** `timestamp` asks for the first record since this many milliseconds, which exists where the topic is fed. */
export const LOOKBACK_MS = 1000;
/** Instead of a partition: questions about the cluster. */
const NOWHERE = -1;

/**
 * Ask until closing is requested. `offsets` and `cluster` are lists of a question's name and the function that asks it:
 * of a partition, which returns an offset, -1 for none; or of the cluster, whose result does not matter.
 */
export async function runQuestions(start, reports, stopping, errorOf, offsets, cluster) {
  const ask = async (partition, [sequence]) => {
    const clock = clockUs();
    const kinds = partition === NOWHERE ? cluster : offsets;
    const [query, answer] = kinds[sequence % kinds.length];
    reports.sent(partition, sequence, clock, query);
    try {
      const offset = await answer(partition);
      reports.listed(partition, sequence, partition === NOWHERE ? -1 : offset, query);
    } catch (error) {
      // A query in flight while the driver closes the client has no result of the library.
      if (!stopping.asked) reports.listError(partition, sequence, errorOf(error), query);
    }
  };
  const all = [...start.partitions, NOWHERE].map((partition) => single(partition));
  runWorkload(start, stopping, ask, all);
  await stopping.waitUntilAsked();
}
