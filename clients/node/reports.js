// The events of one instance, of which exactly one is the last.
import { clockUs } from "./clock.js";

/** Notices that are kept per instance, so that endless logging does not fill the history. */
const NOTICES = 500;

/** The events of one instance; events after the last one are dropped. */
export class Reports {
  #instance;
  #outbox;
  #notices = 0;
  #early = [];

  /** Milliseconds that the application needs for the next record. */
  handlerMs = 0;

  /** Whether the last event was reported. */
  ended = false;

  constructor(instance, outbox) {
    this.#instance = instance;
    this.#outbox = outbox;
  }

  /** The library is constructed, with these effective settings. */
  ready(settings) {
    this.#add("READY", { settings });
    for (const text of this.#early) this.#add("NOTICE", { text });
    this.#early = null;
  }

  /** An operation begins; `clock` was read before the call of the library. `query` is admin's. */
  sent(partition, sequence, clock, query = "") {
    this.#add("SENT", { partition, sequence, clock_us: clock, text: query });
  }

  acked(partition, sequence, offset) {
    this.#add("ACKED", { partition, sequence, offset });
  }

  sendError(partition, sequence, error) {
    this.#add("SEND_ERROR", { partition, sequence, error });
  }

  received(partition, offset, value) {
    this.#add("RECEIVED", { partition, offset, value });
  }

  /** Return the milliseconds that the application needs for the record that it was given, and take them away. */
  handling() {
    const milliseconds = this.handlerMs;
    this.handlerMs = 0;
    return milliseconds;
  }

  receiveError(error) {
    this.#add("RECEIVE_ERROR", { error });
  }

  assigned(partitions) {
    this.#add("ASSIGNED", { partitions });
  }

  revoked(partitions) {
    if (partitions.length) this.#add("REVOKED", { partitions });
  }

  /** A commit that the library reports as successful. */
  committed(partition, offset) {
    this.#add("COMMITTED", { partition, offset });
  }

  commitError(error) {
    this.#add("COMMIT_ERROR", { error });
  }

  /** A step of a transaction: TXN_BEGUN, TXN_COMMITTED, TXN_ABORTED, TXN_ERROR. */
  transaction(kind, number, error) {
    this.#add(kind, { sequence: number, ...(error && { error }) });
  }

  listed(partition, sequence, offset, query) {
    this.#add("LISTED", { partition, sequence, offset, text: query });
  }

  listError(partition, sequence, error, query) {
    this.#add("LIST_ERROR", { partition, sequence, error, text: query });
  }

  /** A client-wide error or log line; lines of a constructor are kept until `ready`, which comes first. */
  notice(text) {
    this.#notices += 1;
    if (this.#notices > NOTICES) return;
    const line = this.#notices < NOTICES ? text : "further notices are dropped";
    if (this.#early) this.#early.push(line);
    else this.#add("NOTICE", { text: line });
  }

  unsupported(text) {
    this.#end("UNSUPPORTED", { text });
  }

  fatal(error) {
    this.#end("FATAL", { error, text: error.text });
  }

  closed(text = "") {
    this.#end("CLOSED", { text });
  }

  #end(kind, fields) {
    this.#add(kind, fields);
    this.ended = true;
  }

  #add(kind, fields) {
    if (this.ended) return;
    const event = { instance: this.#instance, clock_us: clockUs(), kind, partition: -1, sequence: -1, offset: -1 };
    this.#outbox.add({ ...event, ...fields });
  }
}
