// Role admin: one question per interval and partition, and one about the cluster, each in turn (driver.proto).
//
// fetchTopicOffsets() and similar calls query all partitions of the topic at once and fail together: KafkaJS has no
// narrower query. Each also requests metadata first, since an admin client's has a maximum age of zero (`metadataMaxAge
// || 0` in src/cluster/brokerPool.js).
import { LOOKBACK_MS, runQuestions } from "../../node/questions.js";
import { isSince } from "../../node/versions.js";
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** Ask until closing is requested. */
export async function admin(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.admin(settings.admin));
  reports.ready(settings.effective);
  await connected(client, () => {
    const offsets = Object.entries(queries(library, client, start));
    return runQuestions(start, reports, stopping, errorOf, offsets, aboutTheCluster(client, start));
  });
}

/** Return the queries of this version; each returns the offset in a partition, -1 for none. */
function queries(library, client, { topic, group }) {
  const found = {
    latest: async (partition) => offsetIn(await client.fetchTopicOffsets(topic), partition, "high"),
    earliest: async (partition) => offsetIn(await client.fetchTopicOffsets(topic), partition, "low"),
  };
  if (client.fetchTopicOffsetsByTimestamp) {
    const ask = () => client.fetchTopicOffsetsByTimestamp(topic, Date.now() - LOOKBACK_MS);
    found.timestamp = async (partition) => offsetIn(await ask(), partition, "offset");
  }
  if (group) {
    const ask = () => committed(library, client, topic, group);
    found.committed = async (partition) => offsetIn(await ask(), partition, "offset");
  }
  return found;
}

/** Return the questions about the cluster, in turn, without those that this version has no call for. */
function aboutTheCluster(client, { topic, group }) {
  let number = 0;
  const create = async () => {
    number += 1;
    const wanted = { topic: `${topic}-${number}`, numPartitions: 1, replicationFactor: 1 };
    await client.createTopics({ topics: [wanted], validateOnly: true, waitForLeaders: false });
  };
  const found = [["create", create]];
  if (client.describeCluster) found.push(["cluster", () => client.describeCluster()], ["create", create]);
  if (client.describeGroups) found.push(["group", () => client.describeGroups([group])]);
  return found;
}

async function committed(library, client, topic, groupId) {
  if (!isSince(library, "1.16.0")) return client.fetchOffsets({ groupId, topic });
  const topics = await client.fetchOffsets({ groupId, topics: [topic] });
  return topics.find((item) => item.topic === topic)?.partitions ?? [];
}

function offsetIn(partitions, partition, key) {
  return Number(partitions.find((item) => item.partition === partition)?.[key] ?? -1);
}
