// Role group: ConsumerGroup; the application commits what it has handled once per second.
//
// commit() commits what was fetched, and its callback with "Offset committing" means that nothing was sent: it is called at
// most once per autoCommitIntervalMs. sendOffsetCommitRequest() takes the offsets. Its answer holds the error codes of
// brokers, which the library does not look at (lib/protocol/protocol.js, decodeOffsetCommitResponse).
import { close, construct, watch } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf, errorOfCode } from "./errors.js";
import { settle } from "./settings.js";

const COMMIT_MS = 1000;

/** Consume as a member of a group until closing is requested. */
export async function group(library, start, reports, stopping) {
  const settings = settle(library, start);
  const connection = { ...settings.client, kafkaHost: start.bootstrap.join(","), id: start.client_id };
  const wanted = { groupId: start.group, autoCommit: false, fromOffset: "earliest", outOfRangeOffset: "earliest" };
  const options = { ...connection, ...settings.group, ...wanted };
  const consuming = construct(library, () => new library.ConsumerGroup(options, [start.topic]));
  watch(consuming.client, reports);
  const member = new Member(consuming, start, reports, stopping);
  reports.ready(effective(start, settings, consuming.client, consuming));
  try {
    while (!stopping.asked) {
      await stopping.wait(COMMIT_MS);
      if (!stopping.asked) member.commit();
    }
  } finally {
    await close(consuming, false);
  }
}

class Member {
  #owned = [];
  #next = new Map();
  #waiting = [];
  #handling = false;
  #committing = false;

  constructor(consuming, start, reports, stopping) {
    Object.assign(this, { consuming, start, reports, stopping });
    consuming.on("message", (message) => this.#take(message));
    consuming.on("rebalancing", () => this.#giveUp());
    consuming.on("rebalanced", () => this.#joined());
    consuming.on("error", (error) => stopping.asked || reports.receiveError(errorOf(error)));
  }

  /** Commit new records in one request. */
  commit() {
    const offsets = [...this.#next];
    if (this.#committing || !offsets.length) return;
    this.#committing = true;
    const { topic } = this.start;
    const wanted = offsets.map(([partition, offset]) => ({ topic, partition, offset, metadata: "m" }));
    this.consuming.sendOffsetCommitRequest(wanted, (error, answer) => {
      this.#committing = false;
      const code = answer?.[topic]?.errorCode;
      if (error || code) this.#failed(error ? errorOf(error) : errorOfCode(code));
      else if (code === 0) this.#committed(offsets);
    });
  }

  #committed(offsets) {
    for (const [partition, offset] of offsets) {
      this.reports.committed(partition, offset);
      if (this.#next.get(partition) === offset) this.#next.delete(partition);
    }
  }

  #failed(error) {
    if (!this.stopping.asked) this.reports.commitError(error);
  }

  /** Handle records one after the other; no more are fetched while one takes its time. */
  #take(message) {
    this.#waiting.push(message);
    if (!this.#handling) this.#handle();
  }

  async #handle() {
    this.#handling = true;
    while (this.#waiting.length) {
      const { partition, offset, value } = this.#waiting.shift();
      this.reports.received(partition, offset, String(value ?? ""));
      const handlerMs = this.reports.handling();
      if (handlerMs) {
        this.consuming.pause();
        await this.stopping.wait(handlerMs);
        this.consuming.resume();
      }
      this.#next.set(partition, offset + 1);
    }
    this.#handling = false;
  }

  #joined() {
    const own = this.consuming.topicPayloads.filter(({ topic }) => topic === this.start.topic);
    this.#owned = own.map(({ partition }) => Number(partition)).sort((a, b) => a - b);
    this.reports.assigned(this.#owned);
  }

  #giveUp() {
    this.reports.revoked(this.#owned);
    this.#owned = [];
    this.#next.clear();
    this.#waiting.length = 0;
  }
}
