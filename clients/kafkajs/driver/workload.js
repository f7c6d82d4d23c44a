// The workload every producing role does: one operation each interval per partition, a bounded number outstanding.
import { clockUs, nowMs } from "./clock.js";

/** Return a record's value (driver.proto, last paragraph). */
export function valueOf(instance, partition, sequence, clock) {
  return `${instance} ${partition} ${sequence} ${clock}`;
}

/**
 * Call `operation(partition, sequence, clock)` at a steady pace until closing is asked for. It returns a promise that
 * ends with the operation and never rejects. A beat is skipped when `max_in_flight` operations of its partition are
 * outstanding: there are no bursts to catch up. The bystander's turn comes each `bystander_ms` at the most often.
 */
export function beat(start, stopping, operation) {
  for (const partition of start.partitions) beatOne(partition, start, stopping, operation);
}

async function beatOne(partition, start, stopping, operation) {
  const most = Math.max(start.max_in_flight, 1);
  const least = partition === start.bystander ? start.bystander_ms : 0;
  let [sequence, outstanding, due] = [0, 0, nowMs()];
  while (!stopping.asked) {
    if (outstanding < most) {
      outstanding += 1;
      operation(partition, sequence, clockUs()).then(() => (outstanding -= 1));
      sequence += 1;
    }
    due = Math.max(due + Math.max(start.interval_ms, least, 1), nowMs());
    await stopping.wait(due - nowMs());
  }
}
