// Role group: consumer.subscribe() and run() with eachMessage; the application commits delivered records once per
// second.
//
// KafkaJS documents one report of a failed consumer: the event CRASH, which also has whether the consumer restarts. A
// rejoin revokes all partitions and assigns them again.
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

const COMMIT_MS = 1000;

/** Consume as a member of a group until closing is requested. */
export async function group(library, start, reports, stopping) {
  const settings = settle(library, start);
  const options = { ...settings.consumer, groupId: start.group };
  const client = construct(library, start, reports, settings, (kafka) => kafka.consumer(options));
  reports.ready(settings.effective);
  const member = new Member(client, start, reports, stopping);
  await connected(client, async () => {
    await client.subscribe({ topic: start.topic, fromBeginning: true });
    await client.run({ autoCommit: false, ...settings.run, eachMessage: async (given) => member.take(given) });
    while (!stopping.asked && !member.gone) {
      await stopping.wait(COMMIT_MS);
      if (!stopping.asked && !settings.run.autoCommit) member.commit(); // not awaited: a blocked commit must not delay the close
    }
  });
  if (member.gone && !stopping.asked) throw member.gone;
}

class Member {
  #owned = [];
  #next = new Map();
  #committing = false;

  /** The error after which the consumer does not restart. */
  gone = null;

  constructor(client, start, reports, stopping) {
    Object.assign(this, { client, start, reports, stopping });
    const { COMMIT_OFFSETS, CRASH, GROUP_JOIN } = client.events;
    client.on(GROUP_JOIN, ({ payload }) => this.#joined(payload.memberAssignment[start.topic] ?? []));
    client.on(COMMIT_OFFSETS, ({ payload }) => this.#committed(payload.topics));
    client.on(CRASH, ({ payload }) => this.#crashed(payload));
  }

  async take({ partition, message }) {
    const offset = Number(message.offset);
    this.reports.received(partition, offset, String(message.value ?? ""));
    const handlerMs = this.reports.handling();
    if (handlerMs) await this.stopping.wait(handlerMs);
    this.#next.set(partition, offset + 1);
  }

  /** Commit new records. A commit of a consumer that is not running ends without a result and is not reported. */
  async commit() {
    const { topic } = this.start;
    const offsets = [...this.#next].map(([partition, offset]) => ({ topic, partition, offset: String(offset) }));
    if (this.#committing || !offsets.length) return;
    this.#committing = true;
    try {
      await this.client.commitOffsets(offsets);
    } catch (error) {
      if (!this.stopping.asked) this.reports.commitError(errorOf(error));
    } finally {
      this.#committing = false;
    }
  }

  #committed(topics) {
    for (const { partition, offset } of topics.flatMap(({ partitions }) => partitions)) {
      const done = Number(String(offset));
      this.reports.committed(Number(partition), done);
      if (this.#next.get(Number(partition)) === done) this.#next.delete(Number(partition));
    }
  }

  #joined(partitions) {
    this.#giveUp();
    this.#owned = [...partitions].sort((a, b) => a - b);
    this.reports.assigned(this.#owned);
  }

  #giveUp() {
    this.reports.revoked(this.#owned);
    this.#owned = [];
    this.#next.clear();
  }

  #crashed({ error, restart = restarts(error) }) {
    if (this.stopping.asked) return;
    this.#giveUp();
    this.reports.receiveError(errorOf(error));
    if (!restart) this.gone = error;
  }
}

/**
 * Return whether KafkaJS restarts after a crash; before 1.15.0 its event does not have it (src/consumer/index.js,
 * onCrash).
 */
function restarts(error) {
  return error.name === "KafkaJSNumberOfRetriesExceeded" || error.retriable === true;
}
