// The workload of producing roles: records per interval and partition or key, a bounded number of them in flight.
import { nowMs } from "./clock.js";
import { seriesOf } from "./series.js";

/** Return a record's value (driver.proto, last paragraph). */
export function valueOf(instance, partition, sequence, clock) {
  return `${instance} ${partition} ${sequence} ${clock}`;
}

/**
 * Call `operation(partition, sequences)` once per interval and series until closing is requested. It returns a promise
 * that ends with the operations of these numbers and never rejects. At most `max_in_flight` operations of a series are in
 * flight: a burst begins as a whole or not at all. Missed ticks are not repeated. The bystander's interval is at least `bystander_ms`.
 */
export function runWorkload(start, stopping, operation, all = seriesOf(start)) {
  for (const series of all) runSeries(series, start, stopping, operation);
}

async function runSeries(series, start, stopping, operation) {
  const limit = Math.max(start.max_in_flight, series.batch);
  const shortest = series.partition === start.bystander ? start.bystander_ms : 0;
  let [sequence, inFlight, due] = [series.first, 0, nowMs()];
  while (!stopping.asked) {
    const count = series.batch;
    if (inFlight + count <= limit) {
      const numbers = Array.from({ length: count }, (_, place) => sequence + place * series.step);
      inFlight += count;
      sequence += count * series.step;
      operation(series.partition, numbers).then(() => (inFlight -= count));
    }
    due = Math.max(due + Math.max(start.interval_ms, shortest, 1), nowMs());
    await stopping.wait(due - nowMs());
  }
}
