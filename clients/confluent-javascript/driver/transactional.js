// Role transactional: one transaction per interval, with the records of its workload.
//
// An error states its remedy (INTRODUCTION.md, error handling): the call may be repeated if it is `retriable`, the client is
// of no use any more if it is `fatal`; else the transaction is aborted, as in the library's example. Neither is ever true up
// to 1.10.1: librdkafka's errors have them as `isRetriable` and `isFatal` (lib/error.js, lib/kafkajs/_common.js).
import { runTransactions } from "../../node/transactions.js";
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { sender } from "./producer.js";
import { settle } from "./settings.js";

/** Milliseconds between a call and its repetition; some are refused at once. */
const REPEAT_MS = 100;

/** Run transactions until closing is requested, or until the client is unusable. */
export async function transactional(library, start, reports, stopping) {
  const { block, own } = settle(library, start);
  const settings = { block: { ...block, transactionalId: start.transactional_id }, own };
  await connected(library, start, reports, settings, "producer", async (client) => {
    const members = start.group ? await membersOf(library, start, reports) : null;
    const repeated = (call) => repeat(call, stopping);
    try {
      await runTransactions(start, reports, stopping, {
        errorOf,
        overlapping: true,
        isFinal: (error) => error?.fatal === true,
        begin: async () => {
          await repeated(() => client.transaction());
          return { commit: () => repeated(() => client.commit()), abort: () => repeated(() => client.abort()) };
        },
        sender: () => sender(client, start),
        sendOffsets(_, __, number) {
          const topics = [{ topic: start.topic, partitions: [{ partition: start.partitions[0], offset: `${number}` }] }];
          return repeated(() => client.sendOffsets({ consumer: members, topics }));
        },
      });
    } finally {
      await members?.disconnect();
    }
  });
}

/** Return a connected consumer of the group, which sendOffsets() takes the group from. It does not join. */
async function membersOf(library, start, reports) {
  const client = construct(library, start, reports, { block: { groupId: start.group }, own: {} }, "consumer");
  await client.connect();
  return client;
}

async function repeat(call, stopping) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!error?.retriable || stopping.asked) throw error;
      await stopping.wait(REPEAT_MS);
    }
  }
}
