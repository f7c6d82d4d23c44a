// What one instance tells the orchestrator: standard events, and exactly one ending.
import { clockUs } from "./clock.js";

/** Notices kept per instance; a client that logs for ever must not fill the history. */
const NOTICES = 500;

/** The events of one instance; after the ending event everything is dropped. */
export class Reports {
  #instance;
  #outbox;
  #notices = 0;
  #early = [];

  /** Whether the ending event was reported. */
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

  /** An operation begins; `clock` was taken before the library call. `question` is admin's. */
  sent(partition, sequence, clock, question = "") {
    this.#add("SENT", { partition, sequence, clock_us: clock, text: question });
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

  receiveError(error) {
    this.#add("RECEIVE_ERROR", { error });
  }

  assigned(partitions) {
    this.#add("ASSIGNED", { partitions });
  }

  revoked(partitions) {
    if (partitions.length) this.#add("REVOKED", { partitions });
  }

  /** A commit that the library reported as done. */
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

  listed(partition, sequence, offset, question) {
    this.#add("LISTED", { partition, sequence, offset, text: question });
  }

  listError(partition, sequence, error, question) {
    this.#add("LIST_ERROR", { partition, sequence, error, text: question });
  }

  /** A client-wide error or log line; what a constructor logs waits for `ready`, which comes first. */
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
