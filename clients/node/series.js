// The series of operations of a workload (driver.proto, Workloads): those of one partition, or of one key.
import { Unsupported } from "./unsupported.js";

/** Partition of a record that the library chooses a partition for. */
const NO_PARTITION = -1;
/** The roles that have each workload. */
const ROLES = {
  continuous: ["producer", "consumer", "group", "transactional", "admin"],
  pipelined: ["producer", "consumer", "group", "transactional"],
  keyed: ["producer", "transactional"],
};

/** Throw Unsupported for a workload that does not exist, or that the role does not have. */
export function checkWorkload(client, { workload, role }) {
  const name = workload || "continuous";
  if (!Object.hasOwn(ROLES, name) || !ROLES[name].includes(role)) {
    throw new Unsupported(`${client} has no workload '${name}' for role '${role}'`);
  }
}

/** Return the series: the first number, the difference between two, how many begin together. */
export function seriesOf(start) {
  if (isKeyed(start)) {
    return start.keys.map((_, first) => ({ partition: NO_PARTITION, first, step: start.keys.length, batch: 1 }));
  }
  const batch = start.workload === "pipelined" ? Math.max(start.batch, 1) : 1;
  return start.partitions.map((partition) => single(partition, batch));
}

/** Return a series of every number. */
export function single(partition, batch = 1) {
  return { partition, first: 0, step: 1, batch };
}

/** Return where a record belongs: its partition, or its key. */
export function destination(start, partition, sequence) {
  return isKeyed(start) ? { key: start.keys[sequence % start.keys.length] } : { partition };
}

function isKeyed({ workload, keys }) {
  return workload === "keyed" && keys.length > 0;
}
