// Transactions one after the other, each with the records of its workload (driver.proto, transactional).
import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "./clock.js";
import { sendTogether } from "./sending.js";
import { seriesOf } from "./series.js";

/**
 * Run a transaction per interval until closing is requested. After each failure the next transaction follows, unless an
 * error is final, which is thrown.
 *
 * `calls` has what differs between libraries: `begin()` returns a transaction with commit() and abort(); `sender(it)`
 * and `errorOf` are those of sendTogether; `overlapping` tells whether the sends of a transaction overlap;
 * `sendOffsets(it, group, number)` commits the offset that an application took this transaction's input from. Where there
 * is one, `leave(it)` frees the producer from a transaction that was not begun (`it` is null) or whose abort failed, and
 * `isFinal(error)` tells whether the library documents that the producer is of no use any more.
 */
export async function runTransactions(start, reports, stopping, calls) {
  const running = run(start, reports, stopping, calls);
  await Promise.race([running, stopping.waitUntilAsked()]);
  await Promise.race([running, sleep(stopping.remaining() / 2)]); // an open transaction may end
}

async function run(start, reports, stopping, calls) {
  let due = nowMs();
  for (let number = 0; !stopping.asked; number += 1) {
    await new Transaction(start, reports, stopping, calls, number).run();
    due = Math.max(due + start.interval_ms, nowMs());
    await stopping.wait(due - nowMs());
  }
}

class Transaction {
  #transaction = null;

  constructor(start, reports, stopping, calls, number) {
    Object.assign(this, { start, reports, stopping, calls, number });
  }

  async run() {
    try {
      this.#transaction = await this.calls.begin();
      this.#report("TXN_BEGUN");
      await this.#send();
      if (this.start.group) await this.calls.sendOffsets(this.#transaction, this.start.group, this.number);
      const handlerMs = this.reports.handling();
      if (handlerMs) await this.stopping.wait(handlerMs);
      await this.#transaction.commit();
      this.#report("TXN_COMMITTED");
    } catch (error) {
      this.#failed(error);
      await this.#abort();
    }
  }

  async #send() {
    const send = this.calls.sender(this.#transaction);
    const sendSeries = ({ partition, first, step, batch }) => {
      const numbers = Array.from({ length: batch }, (_, place) => first + (this.number * batch + place) * step);
      return sendTogether(send, this.calls.errorOf, this.start, this.reports, partition, numbers);
    };
    const series = seriesOf(this.start);
    if (this.calls.overlapping) {
      const failed = (await Promise.all(series.map(sendSeries))).find(Boolean);
      if (failed) throw failed;
      return;
    }
    for (const each of series) {
      const failed = await sendSeries(each);
      if (failed) throw failed;
    }
  }

  async #abort() {
    if (this.stopping.asked) return;
    if (!this.#transaction) {
      await this.calls.leave?.(null);
      return;
    }
    try {
      await this.#transaction.abort();
      this.#report("TXN_ABORTED");
    } catch (error) {
      this.#failed(error);
      await this.calls.leave?.(this.#transaction);
    }
  }

  #failed(error) {
    this.#report("TXN_ERROR", error);
    if (!this.stopping.asked && this.calls.isFinal?.(error)) throw error;
  }

  #report(kind, error) {
    if (error && this.stopping.asked) return;
    this.reports.transaction(kind, this.number, error && this.calls.errorOf(error));
  }
}
