// The end of a driver process.

/** Exit as soon as standard input, a pipe from the orchestrator, reaches its end. The driver starts no processes. */
export function exitWithParent() {
  process.stdin.on("end", () => process.kill(process.pid, "SIGKILL"));
  process.stdin.on("error", () => process.kill(process.pid, "SIGKILL"));
  process.stdin.resume();
}

/** Milliseconds for the last messages to be sent. */
const FLUSH_MS = 30;

/**
 * Exit on an uncaught error, as Node does by itself, but with one line that names it, passed to `report` and to
 * standard error. Such an error belongs to no call, hence to no single instance: an application would exit as well.
 */
export function reportUncaught(report) {
  process.on("uncaughtException", (error, origin) => {
    const text = `the process exits on an ${origin}: ${String(error?.stack ?? error).replace(/\s*\n\s*/g, " ")}`;
    report(text.slice(0, 400));
    process.stderr.write(`${text.slice(0, 400)}\n`);
    setTimeout(() => process.exit(7), FLUSH_MS);
  });
}
