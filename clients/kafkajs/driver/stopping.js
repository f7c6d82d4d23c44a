// Whether an instance is asked to close, and how long it may take.
import { nowMs } from "./clock.js";

export class Stopping {
  #deadline = Infinity;
  #waking = new Set();

  /** Whether closing was asked for. */
  asked = false;

  /** Ask to be closed within so many milliseconds. */
  ask(milliseconds) {
    this.asked = true;
    this.#deadline = nowMs() + milliseconds;
    for (const wake of [...this.#waking]) wake();
  }

  /** Sleep; end early once closing is asked for. */
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

  /** Sleep until closing is asked for. */
  waitLong() {
    return this.wait(Infinity);
  }

  /** Return the milliseconds left to close in, never below zero; Infinity if nobody asked. */
  remaining() {
    return Math.max(0, this.#deadline - nowMs());
  }
}
