// Role admin: one question per interval and partition, and one about the cluster, each in turn (driver.proto).
//
// fetchTopicOffsets() and similar calls query all partitions of the topic at once and fail together: KafkaJS has no
// narrower query. Each also requests metadata first, since an admin client's has a maximum age of zero (`metadataMaxAge
// || 0` in src/cluster/brokerPool.js).
import { clockUs } from "../../node/clock.js";
import { single } from "../../node/series.js";
import { isSince } from "../../node/versions.js";
import { runWorkload } from "../../node/workload.js";
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { settle } from "./settings.js";

/** `timestamp` asks for the first record since this many milliseconds, which exists where the topic is fed. */
const LOOKBACK_MS = 1000;

/** Instead of a partition: questions about the cluster. */
const NOWHERE = -1;

/** Ask until closing is requested. */
export async function admin(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.admin(settings.admin));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const [offsets, cluster] = [Object.entries(queries(library, client, start)), aboutTheCluster(client, start)];
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
    runWorkload(
      start,
      stopping,
      ask,
      [...start.partitions, NOWHERE].map((partition) => single(partition)),
    );
    await stopping.waitUntilAsked();
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
    return -1;
  };
  const described = async (description) => {
    await description;
    return -1;
  };
  const found = [["create", create]];
  if (client.describeCluster) found.push(["cluster", () => described(client.describeCluster())], ["create", create]);
  if (client.describeGroups) found.push(["group", () => described(client.describeGroups([group]))]);
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
