// Role transactional: one transaction per interval, with the records of its workload, as in KafkaJS's documentation:
// `maxInFlightRequests: 1, idempotent: true`, sends awaited before commit(), abort() after a failure.
import { runTransactions } from "../../node/transactions.js";
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
  await connected(client, () =>
    runTransactions(start, reports, stopping, {
      errorOf,
      overlapping: true,
      begin: () => client.transaction(),
      sender: (transaction) => sender(transaction, settings, start),
      sendOffsets(transaction, consumerGroupId, number) {
        const partitions = [{ partition: start.partitions[0], offset: String(number) }];
        return transaction.sendOffsets({ consumerGroupId, topics: [{ topic: start.topic, partitions }] });
      },
    }),
  );
}
