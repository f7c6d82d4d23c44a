// Time in the units of driver.proto.

/** Return the driver's clock: monotonic microseconds. */
export function clockUs() {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Return monotonic milliseconds. */
export function nowMs() {
  return performance.now();
}
