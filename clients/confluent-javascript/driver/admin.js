// Role admin: questions in turn (driver.proto).
//
// fetchTopicOffsets() and fetchTopicOffsetsByTimestamp() ask for all partitions of the topic, and for metadata before. An
// error of a partition is not handed on: its offset stands for the answer (lib/kafkajs/_admin.js). There is no question
// whether a topic could be created, as createTopics() cannot validate only.
import { LOOKBACK_MS, runQuestions } from "../../node/questions.js";
import { connected } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** Ask until closing is requested. */
export async function admin(library, start, reports, stopping) {
  await connected(library, start, reports, settle(library, start), "admin", (client) => {
    const [offsets, cluster] = [queries(client, start), aboutTheCluster(client, start)].map(Object.entries);
    return runQuestions(start, reports, stopping, errorOf, offsets, cluster);
  });
}

/** Return the questions about a partition; each returns the offset that an application gets. */
function queries(client, { topic, group }) {
  const of = (partitions, partition, key) =>
    Number(partitions.find((item) => item.partition === partition)?.[key] ?? -1);
  const committed = async (partition) => {
    const [found] = await client.fetchOffsets({ groupId: group, topics: [{ topic, partitions: [partition] }] });
    const [{ error, offset }] = found.partitions;
    if (error) throw error;
    return Math.max(Number(offset), -1); // librdkafka's number for none is -1001
  };
  return {
    latest: async (partition) => of(await client.fetchTopicOffsets(topic), partition, "high"),
    earliest: async (partition) => of(await client.fetchTopicOffsets(topic), partition, "low"),
    timestamp: async (partition) =>
      of(await client.fetchTopicOffsetsByTimestamp(topic, Date.now() - LOOKBACK_MS), partition, "offset"),
    ...(group && { committed }),
  };
}

/** Return the questions about the cluster. No call describes it; a list of its topics is asked of any broker, too. */
function aboutTheCluster(client, { group }) {
  return {
    cluster: () => client.listTopics(),
    ...(group && { group: () => client.describeGroups([group]) }),
  };
}
