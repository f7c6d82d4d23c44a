// Role transactional: one transaction per interval, with the records of its workload, as in KafkaJS's documentation:
// `maxInFlightRequests: 1, idempotent: true`, sends awaited before commit(), abort() after a failure.
//
// No call is documented to be repeatable and no error to be final, so the next transaction follows.
import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "../../node/clock.js";
import { sendTogether } from "../../node/sending.js";
import { seriesOf } from "../../node/series.js";
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { sender } from "./producer.js";
import { settle } from "./settings.js";

/** Run transactions until closing is requested. */
export async function transactional(library, start, reports, stopping) {
  const settings = settle(library, start);
  const options = { ...settings.producer, transactionalId: start.transactional_id };
  const client = construct(library, start, reports, settings, (kafka) => kafka.producer(options));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const playing = play(client, settings, start, reports, stopping);
    await stopping.waitUntilAsked();
    await Promise.race([playing, sleep(stopping.remaining() / 2)]); // an open transaction may end
  });
}

async function play(client, settings, start, reports, stopping) {
  let due = nowMs();
  for (let number = 0; !stopping.asked; number += 1) {
    await new Transaction(client, settings, start, reports, stopping, number).play();
    due = Math.max(due + start.interval_ms, nowMs());
    await stopping.wait(due - nowMs());
  }
}

class Transaction {
  #transaction = null;

  constructor(client, settings, start, reports, stopping, number) {
    Object.assign(this, { client, settings, start, reports, stopping, number });
  }

  async play() {
    try {
      this.#transaction = await this.client.transaction();
      this.#report("TXN_BEGUN");
      await this.#send();
      await this.#sendOffsets();
      const handlerMs = this.reports.handling();
      if (handlerMs) await this.stopping.wait(handlerMs);
      await this.#transaction.commit();
      this.#report("TXN_COMMITTED");
    } catch (error) {
      this.#report("TXN_ERROR", error);
      await this.#abort();
    }
  }

  async #send() {
    const send = sender(this.#transaction, this.settings, this.start);
    const each = seriesOf(this.start).map(({ partition, first, step, batch }) => {
      const numbers = Array.from({ length: batch }, (_, place) => first + (this.number * batch + place) * step);
      return sendTogether(send, errorOf, this.start, this.reports, partition, numbers);
    });
    const failed = (await Promise.all(each)).find(Boolean);
    if (failed) throw failed;
  }

  /** Commit an offset of the group, if there is one, as a consume-transform-produce application does. */
  async #sendOffsets() {
    const { group, topic, partitions } = this.start;
    if (!group) return;
    const offsets = [{ partition: partitions[0], offset: String(this.number) }];
    await this.#transaction.sendOffsets({ consumerGroupId: group, topics: [{ topic, partitions: offsets }] });
  }

  async #abort() {
    if (!this.#transaction || this.stopping.asked) return;
    try {
      await this.#transaction.abort();
      this.#report("TXN_ABORTED");
    } catch (error) {
      this.#report("TXN_ERROR", error);
    }
  }

  #report(kind, error) {
    if (error && this.stopping.asked) return;
    this.reports.transaction(kind, this.number, error && errorOf(error));
  }
}
