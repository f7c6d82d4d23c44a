// A driver's life and death.

/** End as soon as standard input, a pipe that the orchestrator holds, reaches its end. We start no processes. */
export function dieWithParent() {
  process.stdin.on("end", () => process.kill(process.pid, "SIGKILL"));
  process.stdin.on("error", () => process.kill(process.pid, "SIGKILL"));
  process.stdin.resume();
}

/**
 * Die of what nobody caught, as Node does by itself, but with one line that names it. Such an error belongs to no call,
 * so it cannot be laid to one instance: an application would be gone as well.
 */
export function dieInOneLine(library) {
  process.on("uncaughtException", (error, origin) => {
    const text = String(error?.stack ?? error).replace(/\s*\n\s*/g, " ");
    process.stderr.write(`kafkajs ${library.version}: ${origin}: ${text.slice(0, 400)}\n`, () => process.exit(7));
  });
}
