// Role admin: one question per interval and partition, and one about the cluster, each in turn (driver.proto).
//
// There is no question whether a topic could be created: createTopics() cannot validate only.
import { clockUs } from "../../node/clock.js";
import { single } from "../../node/series.js";
import { runWorkload } from "../../node/workload.js";
import { closing, construct } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** `timestamp` asks for the first record since this many milliseconds, which exists where the topic is fed. */
const LOOKBACK_MS = 1000;
const [LATEST, EARLIEST] = [-1n, -2n];
/** Instead of a partition: questions about the cluster. */
const NOWHERE = -1;

/** Ask until closing is requested. */
export async function admin(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, library.Admin, settings.admin);
  reports.ready(effective(library, start, settings, client));
  await closing(() => client.close(), async () => {
    const [offsets, cluster] = [Object.entries(queries(client, start)), Object.entries(aboutTheCluster(client, start))];
    const ask = async (partition, [sequence]) => {
      const clock = clockUs();
      const kinds = partition === NOWHERE ? cluster : offsets;
      const [query, answer] = kinds[sequence % kinds.length];
      reports.sent(partition, sequence, clock, query);
      try {
        reports.listed(partition, sequence, await answer(partition), query);
      } catch (error) {
        // A query in flight while the driver closes the client has no result of the library.
        if (!stopping.asked) reports.listError(partition, sequence, errorOf(error), query);
      }
    };
    const all = [...start.partitions, NOWHERE].map((partition) => single(partition));
    runWorkload(start, stopping, ask, all);
    await stopping.waitUntilAsked();
  });
}

/** Return the questions about a partition; each returns an offset, -1 for none. */
function queries(client, { topic, group }) {
  const listed = async (partition, timestamp) => {
    const wanted = [{ name: topic, partitions: [{ partitionIndex: partition, timestamp }] }];
    const [{ partitions }] = await client.listOffsets({ topics: wanted });
    return Number(partitions.find((item) => item.partitionIndex === partition)?.offset ?? -1);
  };
  const committed = async (partition) => {
    const wanted = [{ groupId: group, topics: [{ name: topic, partitionIndexes: [partition] }] }];
    const [{ topics }] = await client.listConsumerGroupOffsets({ groups: wanted });
    return Number(topics[0]?.partitions[0]?.committedOffset ?? -1);
  };
  return {
    latest: (partition) => listed(partition, LATEST),
    earliest: (partition) => listed(partition, EARLIEST),
    timestamp: (partition) => listed(partition, BigInt(Date.now() - LOOKBACK_MS)),
    ...(group && { committed }),
  };
}

/** Return the questions about the cluster. */
function aboutTheCluster(client, { group }) {
  const described = async (description) => {
    await description;
    return -1;
  };
  return {
    cluster: () => described(client.metadata({ topics: [], forceUpdate: true })),
    ...(group && { group: () => described(client.describeGroups({ groups: [group] })) }),
  };
}
