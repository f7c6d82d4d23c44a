// Role group: Consumer.consume() from the committed offset; the application commits delivered records once per second.
//
// A stream that fails is destroyed with the error, and a `for await` over it throws: the application has lost it, while
// the consumer stays a member of the group. Only events that all versions have are used.
import { isSince } from "../../node/versions.js";
import { closing, construct } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { CONSUMER_PROTOCOL, settle } from "./settings.js";

const COMMIT_MS = 1000;
/** The first version whose message.commit() commits the next offset; before, that of the message (messages-stream.js). */
const COMMITS_NEXT = "1.27.0";

/** Consume as a member of a group until closing is requested. */
export async function group(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, library.Consumer, { ...settings.consumer, groupId: start.group });
  const member = new Member(client, isSince(library, COMMITS_NEXT) ? 1 : 0, start, reports, stopping);
  reports.ready(effective(library, start, settings, client));
  await closing(() => client.close(true), async () => {
    const wanted = { mode: "committed", fallbackMode: "earliest", autocommit: false };
    const stream = await client.consume({ ...settings.consume, ...wanted, topics: [start.topic] });
    const reading = member.read(stream);
    while (!stopping.asked && !member.gone) {
      await Promise.race([stopping.wait(COMMIT_MS), reading]);
      if (!stopping.asked) member.commit(); // not awaited: a blocked commit must not delay the close
    }
  });
  if (member.gone && !stopping.asked) throw member.gone;
}

class Member {
  #owned = [];
  #next = new Map();
  #committing = false;

  /** The error that ended the stream. */
  gone = null;

  constructor(client, step, start, reports, stopping) {
    Object.assign(this, { client, step, start, reports, stopping });
    if (start.profile === CONSUMER_PROTOCOL) {
      // No event tells a new assignment of the new group protocol; a heartbeat begins once the library has it.
      for (const when of ["start", "end"]) client.on(`consumer:heartbeat:${when}`, () => this.#compare());
    } else {
      client.on("consumer:group:join", ({ assignments }) => this.#joined(assignments ?? []));
    }
    client.on("consumer:heartbeat:error", ({ error } = {}) => this.#told("heartbeat", error));
    client.on("error", (error) => this.#failed(error));
  }

  /** Take records until the stream ends. */
  async read(stream) {
    try {
      for await (const message of stream) await this.#take(message);
    } catch (error) {
      this.#failed(error);
      this.gone = error;
    }
  }

  async #take({ partition, offset, value, commit }) {
    if (this.start.profile === CONSUMER_PROTOCOL) this.#compare();
    this.reports.received(partition, Number(offset), String(value ?? ""));
    const handlerMs = this.reports.handling();
    if (handlerMs) await this.stopping.wait(handlerMs);
    // Not committed where the partition went to another member meanwhile, as by the drivers of other libraries.
    if (!this.#owned.includes(partition)) return;
    this.#next.set(partition, { offset: Number(offset) + this.step, commit });
  }

  /** Commit new records, each partition by the last of them. */
  async commit() {
    if (this.#committing || !this.#next.size) return;
    this.#committing = true;
    try {
      await Promise.all([...this.#next].map((position) => this.#commitOne(...position)));
    } finally {
      this.#committing = false;
    }
  }

  async #commitOne(partition, position) {
    try {
      await position.commit();
      this.reports.committed(partition, position.offset);
      if (this.#next.get(partition) === position) this.#next.delete(partition);
    } catch (error) {
      if (!this.stopping.asked) this.reports.commitError(errorOf(error));
    }
  }

  #joined(assignments) {
    this.reports.revoked(this.#owned);
    this.#next.clear();
    this.#owned = this.#partitions(assignments);
    this.reports.assigned(this.#owned);
  }

  /** Report partitions that came or went since the last look at the library's list. */
  #compare() {
    const now = this.#partitions(this.client.assignments ?? []);
    const gone = this.#owned.filter((partition) => !now.includes(partition));
    const come = now.filter((partition) => !this.#owned.includes(partition));
    this.#owned = now;
    for (const partition of gone) this.#next.delete(partition);
    if (gone.length) this.reports.revoked(gone);
    if (come.length) this.reports.assigned(come);
  }

  #partitions(assignments) {
    const own = assignments.filter(({ topic }) => topic === this.start.topic);
    return own.flatMap(({ partitions }) => partitions).sort((a, b) => a - b);
  }

  #failed(error) {
    if (!this.stopping.asked) this.reports.receiveError(errorOf(error));
  }

  #told(what, error) {
    if (!this.stopping.asked) this.reports.notice(`${what}: ${errorOf(error).text}`);
  }
}
