// Role transactional: one transaction per interval, with the records of its workload, as in docs/transactions.md of the
// library: abort() after a failure.
//
// An abort that fails leaves the producer with the transaction, and beginTransaction() refuses another one. cancel() is
// the documented way to leave it without a request.
import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "../../node/clock.js";
import { sendTogether } from "../../node/sending.js";
import { seriesOf } from "../../node/series.js";
import { closing, construct } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { sender } from "./producer.js";
import { settle } from "./settings.js";

/** Run transactions until closing is requested. */
export async function transactional(library, start, reports, stopping) {
  const settings = settle(library, start);
  const options = { ...settings.producer, transactionalId: start.transactional_id };
  const client = construct(library, start, reports, library.Producer, options);
  const consumer = start.group
    ? construct(library, start, reports, library.Consumer, { metadataMaxAge: options.metadataMaxAge, groupId: start.group })
    : null;
  reports.ready(effective(library, start, settings, client));
  const close = () => Promise.all([client.close(), consumer?.close()]);
  await closing(close, async () => {
    const playing = play(client, consumer, settings, start, reports, stopping);
    await stopping.waitUntilAsked();
    await Promise.race([playing, sleep(stopping.remaining() / 2)]); // an open transaction may end
  });
}

async function play(client, consumer, settings, start, reports, stopping) {
  let due = nowMs();
  for (let number = 0; !stopping.asked; number += 1) {
    await new Transaction(client, consumer, settings, start, reports, stopping, number).play();
    due = Math.max(due + start.interval_ms, nowMs());
    await stopping.wait(due - nowMs());
  }
}

class Transaction {
  #transaction = null;

  constructor(client, consumer, settings, start, reports, stopping, number) {
    Object.assign(this, { client, consumer, settings, start, reports, stopping, number });
  }

  async play() {
    try {
      this.#transaction = await this.client.beginTransaction();
      this.#report("TXN_BEGUN");
      await this.#send();
      await this.#addOffsets();
      const handlerMs = this.reports.handling();
      if (handlerMs) await this.stopping.wait(handlerMs);
      await this.#transaction.commit();
      this.#report("TXN_COMMITTED");
    } catch (error) {
      this.#report("TXN_ERROR", error);
      await this.#abort();
    }
  }

  /** Send one after the other, as in the library's example: of sends that overlap only the first adds its partitions. */
  async #send() {
    const send = sender(this.#transaction, this.settings, this.start);
    for (const { partition, first, step, batch } of seriesOf(this.start)) {
      const numbers = Array.from({ length: batch }, (_, place) => first + (this.number * batch + place) * step);
      const failed = await sendTogether(send, errorOf, this.start, this.reports, partition, numbers);
      if (failed) throw failed;
    }
  }

  /** Commit an offset of the group, if there is one, as a consume-transform-produce application does. */
  async #addOffsets() {
    const { group, topic, partitions } = this.start;
    if (!group) return;
    const coordinatorId = await this.consumer.findGroupCoordinator();
    await this.#transaction.addConsumer(this.consumer);
    const metadata = { consumer: { groupId: group, generationId: -1, memberId: "", coordinatorId } };
    await this.#transaction.addOffset({ topic, partition: partitions[0], offset: BigInt(this.number) - 1n, metadata });
  }

  async #abort() {
    if (this.stopping.asked) return;
    if (!this.#transaction) {
      await this.client.transaction?.cancel(); // it was not begun, so there is nothing to abort
      return;
    }
    try {
      await this.#transaction.abort();
      this.#report("TXN_ABORTED");
    } catch (error) {
      this.#report("TXN_ERROR", error);
      await this.#transaction.cancel();
    }
  }

  #report(kind, error) {
    if (error && this.stopping.asked) return;
    this.reports.transaction(kind, this.number, error && errorOf(error));
  }
}
