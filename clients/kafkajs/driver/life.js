// A driver's life and death.

/** End as soon as standard input, a pipe that the orchestrator holds, reaches its end. We start no processes. */
export function dieWithParent() {
  process.stdin.on("end", () => process.kill(process.pid, "SIGKILL"));
  process.stdin.on("error", () => process.kill(process.pid, "SIGKILL"));
  process.stdin.resume();
}

/** What was said last gets so long to leave. */
const LAST_WORDS_MS = 30;

/**
 * Die of what nobody caught, as Node does by itself, but with one line that names it, told to `tell` and on standard
 * error. Such an error belongs to no call, so it cannot be laid to one instance: an application would be gone as well.
 */
export function dieInOneLine(tell) {
  process.on("uncaughtException", (error, origin) => {
    const text = `the process dies of an ${origin}: ${String(error?.stack ?? error).replace(/\s*\n\s*/g, " ")}`;
    tell(text.slice(0, 400));
    process.stderr.write(`${text.slice(0, 400)}\n`);
    setTimeout(() => process.exit(7), LAST_WORDS_MS);
  });
}
