// Whether an instance is asked to close, and by when.
import { nowMs } from "./clock.js";

export class Stopping {
  #deadline = Infinity;
  #waking = new Set();

  /** Whether closing was requested. */
  asked = false;

  /** Ask to close within `milliseconds`. */
  ask(milliseconds) {
    this.asked = true;
    this.#deadline = nowMs() + milliseconds;
    for (const wake of [...this.#waking]) wake();
  }

  /** Sleep for at most `milliseconds`; end early once closing is requested. */
  wait(milliseconds) {
    if (this.asked) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waking.delete(wake);
        resolve();
      };
      const timer = milliseconds === Infinity ? null : setTimeout(wake, milliseconds);
      this.#waking.add(wake);
    });
  }

  /** Sleep until closing is requested. */
  waitUntilAsked() {
    return this.wait(Infinity);
  }

  /** Return the milliseconds left for closing, at least zero; Infinity before it is requested. */
  remaining() {
    return Math.max(0, this.#deadline - nowMs());
  }
}
