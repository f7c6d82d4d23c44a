// Messages to the orchestrator: pongs at once, events in batches.
import { clockUs } from "./clock.js";

/** Longest delay of an event is 20 ms (driver.proto); timers fire late. */
const FLUSH_MS = 15;
/** Most events in one message (driver.proto). */
const BATCH = 256;

export class Outbox {
  #write;
  #events = [];
  #timer = null;

  constructor(write) {
    this.#write = write;
  }

  /** Send any message now. */
  send(message) {
    this.#write(message);
  }

  /** Answer a ping ahead of all events. */
  pong(id) {
    this.#write({ pong: { id, clock_us: clockUs() } });
  }

  /** Queue an event. */
  add(event) {
    this.#events.push(event);
    if (this.#events.length >= BATCH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Send what is queued, at most one batch, now. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#events.length) this.#write({ events: { events: this.#events.splice(0, BATCH) } });
  }
}
