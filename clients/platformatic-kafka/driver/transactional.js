// Role transactional: one transaction per interval, with the records of its workload, as in docs/transactions.md of the
// library: abort() after a failure.
//
// Of sends that overlap only the first adds its partitions, so they follow each other, as in the library's example. An
// abort that fails leaves the producer with the transaction, and beginTransaction() refuses another one. cancel() is the
// documented way to leave it without a request.
import { runTransactions } from "../../node/transactions.js";
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
  await closing(close, () =>
    runTransactions(start, reports, stopping, {
      errorOf,
      overlapping: false,
      begin: () => client.beginTransaction(),
      sender: (transaction) => sender(transaction, settings, start),
      async sendOffsets(transaction, groupId, number) {
        const coordinatorId = await consumer.findGroupCoordinator();
        await transaction.addConsumer(consumer);
        const metadata = { consumer: { groupId, generationId: -1, memberId: "", coordinatorId } };
        const { topic, partitions } = start;
        await transaction.addOffset({ topic, partition: partitions[0], offset: BigInt(number) - 1n, metadata });
      },
      leave: (transaction) => (transaction ?? client.transaction)?.cancel(),
    }),
  );
}
