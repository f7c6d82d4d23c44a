#!/usr/bin/env bash
# KafkaJS 2.2.4: a reader with rackId reads nothing for up to maxWaitTimeInMs after the leader has named a follower, and
# nothing at all, without an error, where metadataMaxAge is not longer than maxWaitTimeInMs (5 s by default).
#
# Each broker has a fetcher of its own. One without partitions sleeps for maxWaitTimeInMs (consumerGroup.js, 490), and the
# leader's answer that names the follower wakes nobody. The follower is kept for metadataMaxAge (consumerGroup.js, 535): where
# that is over before the follower's fetcher wakes up, the partition is the leader's again. So it goes on for ever. With the
# default of 5 minutes the reader pauses each time the follower is named anew.
#
# Seen 2026-11-29 with Apache Kafka 3.9.2 (RackAwareReplicaSelector), 20 records that were there before, time to the first one:
#   without rackId: less than 1 s; with rackId: 5 s; with rackId and metadataMaxAge=2000: none in 30 s
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

cat > pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>cluster</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>3.9.2</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>3.9.2</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars
npm install --silent --no-audit --no-fund kafkajs@2.2.4 > /dev/null
kafka() { exec java -Xmx256m -XX:TieredStopAtLevel=1 -cp 'jars/*' "$@"; }

mapfile -t ports < <(python3 - <<'PY'
import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(one.getsockname()[1] for one in held), sep="\n")
PY
)
at=127.0.0.1:${ports[1]}
for node in 1 2; do
  cat > "$node.properties" <<CONF
node.id=$node
broker.rack=rack-$node
replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector
controller.quorum.voters=1@127.0.0.1:${ports[0]}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/log-$node
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
CONF
done
echo "process.roles=broker,controller
listeners=PLAINTEXT://$at,CONTROLLER://127.0.0.1:${ports[0]}" >> 1.properties
echo "process.roles=broker
listeners=PLAINTEXT://127.0.0.1:${ports[2]}" >> 2.properties
for node in 1 2; do
  (kafka kafka.tools.StorageTool format -t AAAAAAAAQAqAAAAAAAAAAg -c "$node.properties") > /dev/null
  (kafka kafka.Kafka "$node.properties") > "broker-$node.out" 2>&1 &
done
for ((n = 0; ; n++)); do # both brokers have to be there
  if (kafka org.apache.kafka.tools.TopicCommand --bootstrap-server "$at" --create --topic records --replica-assignment 1:2) \
    > /dev/null 2>&1; then break; fi
  ((n < 20)) || { cat broker-*.out; exit 1; }
  sleep 1
done
(kafka org.apache.kafka.tools.ProducerPerformance --topic records --num-records 20 --record-size 10 --throughput -1 \
  --producer-props bootstrap.servers="$at" acks=all) > /dev/null 2>&1

cat > read.js <<'JS'
const { Kafka, logLevel } = require('kafkajs')
const [at, group, more] = process.argv.slice(2)

async function main() {
  const kafka = new Kafka({ brokers: [at], logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: group, ...JSON.parse(more) })
  await consumer.connect()
  await consumer.subscribe({ topic: 'records', fromBeginning: true })
  const joined = new Promise(resolve => consumer.on(consumer.events.GROUP_JOIN, () => resolve(Date.now())))
  const first = new Promise(resolve => {
    consumer.run({ eachMessage: async () => resolve(Date.now()) })
  })
  const since = await joined
  const read = await Promise.race([first, new Promise(resolve => setTimeout(resolve, 30000))])
  console.log(read === undefined ? 'none' : read - since)
  process.exit(0)
}
main()
JS
warm=$(node read.js "$at" warm '{}') # the first member of all makes the topic of offsets
leader=$(node read.js "$at" leader '{}')
follower=$(node read.js "$at" follower '{"rackId":"rack-2"}')
never=$(node read.js "$at" never '{"rackId":"rack-2","metadataMaxAge":2000}')
echo "first record after joining, in ms: without rackId $leader (first run $warm), with rackId $follower"
echo "with rackId and metadataMaxAge=2000, in 30 s: $never"
[ "$leader" -lt 2000 ] && [ "$follower" -gt 4000 ] && [ "$follower" -lt 8000 ] && [ "$never" = none ]
