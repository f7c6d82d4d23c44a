// Role admin: one question per interval and partition, and one about the cluster, each in turn (driver.proto).
//
// There is no question whether a topic could be created: createTopics() cannot validate only.
import { LOOKBACK_MS, runQuestions } from "../../node/questions.js";
import { closing, construct } from "./client.js";
import { effective } from "./effective_settings.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

const [LATEST, EARLIEST] = [-1n, -2n];

/** Ask until closing is requested. */
export async function admin(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, library.Admin, settings.admin);
  reports.ready(effective(library, start, settings, client));
  await closing(
    () => client.close(),
    () => {
      const [offsets, cluster] = [queries(client, start), aboutTheCluster(client, start)].map(Object.entries);
      return runQuestions(start, reports, stopping, errorOf, offsets, cluster);
    },
  );
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
  return {
    cluster: () => client.metadata({ topics: [], forceUpdate: true }),
    ...(group && { group: () => client.describeGroups({ groups: [group] }) }),
  };
}
