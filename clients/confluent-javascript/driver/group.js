// Role group: consumer.subscribe() and run() with eachMessage; the application commits delivered records once per second,
// and before it gives partitions up, as INTRODUCTION.md asks for.
//
// run() never throws: what consuming meets is logged and tried again (worker in lib/kafkajs/_consumer.js).
import { connected } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

const COMMIT_MS = 1000;

/** Consume as a member of a group until closing is requested. */
export async function group(library, start, reports, stopping) {
  const { block, own } = settle(library, start);
  const member = new Member(library.ErrorCodes, start, reports, stopping);
  const settings = {
    block: { ...block, groupId: start.group, fromBeginning: true, autoCommit: false },
    own: { ...own, rebalance_cb: (error, partitions, calls) => member.rebalanced(error, partitions, calls) },
  };
  await connected(library, start, reports, settings, "consumer", async (client) => {
    member.client = client;
    await client.subscribe({ topic: start.topic });
    await client.run({ eachMessage: (given) => member.take(given) });
    while (!stopping.asked) {
      await stopping.wait(COMMIT_MS);
      if (!stopping.asked) member.commit(); // not awaited: a blocked commit must not delay the close
    }
  });
}

class Member {
  #next = new Map();
  #committing = false;

  constructor(codes, start, reports, stopping) {
    Object.assign(this, { codes, start, reports, stopping });
  }

  async take({ partition, message }) {
    const offset = Number(message.offset);
    this.reports.received(partition, offset, String(message.value ?? ""));
    const handlerMs = this.reports.handling();
    if (handlerMs) await this.stopping.wait(handlerMs);
    this.#next.set(partition, offset + 1);
  }

  async rebalanced(error, partitions, { assignmentLost }) {
    const numbers = partitions.map(({ partition }) => partition).sort((a, b) => a - b);
    if (error.code === this.codes.ERR__ASSIGN_PARTITIONS) {
      this.reports.assigned(numbers);
      return;
    }
    // While closing, a lost coordinator would delay the close.
    if (!this.stopping.asked && !assignmentLost()) await this.#send(this.#due(numbers));
    for (const partition of numbers) this.#next.delete(partition);
    this.reports.revoked(numbers);
  }

  /** Commit new records. */
  async commit() {
    if (this.#committing) return;
    this.#committing = true;
    try {
      await this.#send([...this.#next]);
    } finally {
      this.#committing = false;
    }
  }

  #due(partitions) {
    return [...this.#next].filter(([partition]) => partitions.includes(partition));
  }

  async #send(positions) {
    if (!positions.length) return;
    const { topic } = this.start;
    try {
      await this.client.commitOffsets(positions.map(([partition, offset]) => ({ topic, partition, offset: `${offset}` })));
    } catch (error) {
      if (!this.stopping.asked) this.reports.commitError(errorOf(error));
      return;
    }
    for (const [partition, offset] of positions) {
      this.reports.committed(partition, offset);
      if (this.#next.get(partition) === offset) this.#next.delete(partition);
    }
  }
}
