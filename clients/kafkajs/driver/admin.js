// Role admin: one question about offsets an interval and partition, up to four kinds in turn.
//
// fetchTopicOffsets() and its like ask for all partitions of the topic at once, and one that fails fails all: KafkaJS
// has no narrower question. Each also asks for metadata first, since an admin client's has a maximum age of zero
// (`metadataMaxAge || 0` in src/cluster/brokerPool.js).
import { connected, construct } from "./client.js";
import { errorOf } from "./errors.js";
import { isSince } from "./library.js";
import { settle } from "./settings.js";
import { beat } from "./workload.js";

/** `timestamp` asks for the first record of the last second, which exists where the topic is fed. */
const LOOK_BACK_MS = 1000;

/** Ask until told to stop. */
export async function admin(library, start, reports, stopping) {
  const settings = settle(library, start);
  const client = construct(library, start, reports, settings, (kafka) => kafka.admin(settings.admin));
  reports.ready(settings.effective);
  await connected(client, async () => {
    const kinds = Object.entries(questions(library, client, start));
    beat(start, stopping, async (partition, sequence, clock) => {
      const [question, ask] = kinds[sequence % kinds.length];
      reports.sent(partition, sequence, clock, question);
      try {
        reports.listed(partition, sequence, await ask(partition), question);
      } catch (error) {
        // A question that was open while we closed the client is no answer of the library.
        if (!stopping.asked) reports.listError(partition, sequence, errorOf(error), question);
      }
    });
    await stopping.waitLong();
  });
}

/** Return what this version can be asked, each with how to ask it for the offset in a partition; -1 for none. */
function questions(library, client, { topic, group }) {
  const found = {
    latest: async (partition) => offsetIn(await client.fetchTopicOffsets(topic), partition, "high"),
    earliest: async (partition) => offsetIn(await client.fetchTopicOffsets(topic), partition, "low"),
  };
  if (client.fetchTopicOffsetsByTimestamp) {
    const ask = () => client.fetchTopicOffsetsByTimestamp(topic, Date.now() - LOOK_BACK_MS);
    found.timestamp = async (partition) => offsetIn(await ask(), partition, "offset");
  }
  if (group) {
    const ask = () => committed(library, client, topic, group);
    found.committed = async (partition) => offsetIn(await ask(), partition, "offset");
  }
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
