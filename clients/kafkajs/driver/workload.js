// The workload of producing roles: one operation per interval and partition, a bounded number of them in flight.
import { clockUs, nowMs } from "./clock.js";

/** Return a record's value (driver.proto, last paragraph). */
export function valueOf(instance, partition, sequence, clock) {
  return `${instance} ${partition} ${sequence} ${clock}`;
}

/**
 * Call `operation(partition, sequence, clock)` once per interval until closing is requested. It returns a promise that
 * ends with the operation and never rejects. A tick is skipped when `max_in_flight` operations of its partition are in
 * flight; missed ticks are not repeated. The bystander's interval is at least `bystander_ms`.
 */
export function runWorkload(start, stopping, operation, partitions = start.partitions) {
  for (const partition of partitions) runPartition(partition, start, stopping, operation);
}

async function runPartition(partition, start, stopping, operation) {
  const limit = Math.max(start.max_in_flight, 1);
  const shortest = partition === start.bystander ? start.bystander_ms : 0;
  let [sequence, inFlight, due] = [0, 0, nowMs()];
  while (!stopping.asked) {
    if (inFlight < limit) {
      inFlight += 1;
      operation(partition, sequence, clockUs()).then(() => (inFlight -= 1));
      sequence += 1;
    }
    due = Math.max(due + Math.max(start.interval_ms, shortest, 1), nowMs());
    await stopping.wait(due - nowMs());
  }
}
