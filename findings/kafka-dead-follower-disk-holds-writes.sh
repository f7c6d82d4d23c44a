#!/usr/bin/env bash
# Apache Kafka 3.9.2 with KRaft: a follower's disk dies and leaves the ISR at once, and acks=all waits 30 s all the same.
#
# When a log dir fails, the controller takes its replicas out of the ISR (KIP-858), and Metadata says so. The leader does not
# go on with the rest: its high watermark waits for any replica that was caught up within replica.lag.time.max.ms (30 s by
# default) and whose broker is alive (shouldWaitForReplicaToJoinIsr in core/src/main/scala/kafka/cluster/Partition.scala). The
# broker is alive, only its disk is not. For that time no write with acks=all is acknowledged and no new record can be read,
# though the partition's leader, its disk and every other broker are well, and no client gets an error.
#
# Seen 2026-11-28, one producer with 10 records a second, min.insync.replicas=1:
#   the ISR is the leader alone after less than 10 s, and the slowest acknowledgement takes 25 to 32 s
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
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=jars
cat > log4j.properties <<'LOG'
log4j.rootLogger=WARN, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.file=${log}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
LOG
kafka() {
  local name=$1
  shift
  exec java -Xmx256m -XX:TieredStopAtLevel=1 -Dlog4j.configuration="file:$folder/log4j.properties" -Dlog="$folder/$name.log" -cp 'jars/*' "$@"
}

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
controller.quorum.voters=1@127.0.0.1:${ports[0]}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/disk-$node-a,$folder/disk-$node-b
metadata.log.dir=$folder/metadata-$node
CONF
done
echo "process.roles=broker,controller
listeners=PLAINTEXT://$at,CONTROLLER://127.0.0.1:${ports[0]}" >> 1.properties
echo "process.roles=broker
listeners=PLAINTEXT://127.0.0.1:${ports[2]}" >> 2.properties
for node in 1 2; do
  (kafka format kafka.tools.StorageTool format -t AAAAAAAAQAqAAAAAAAAAAg -c "$node.properties") > /dev/null
  (kafka "broker-$node" kafka.Kafka "$node.properties") > "broker-$node.out" 2>&1 &
done

topics() { (kafka tool org.apache.kafka.tools.TopicCommand --bootstrap-server "$at" "$@") 2> /dev/null; }
for ((n = 0; ; n++)); do # both brokers have to be there
  if topics --create --topic records --replica-assignment 1:2 > /dev/null; then break; fi
  ((n < 20)) || { cat broker-*.out; exit 1; }
  sleep 1
done
sleep 3 # the brokers tell the controller on which disk each replica is

(kafka producer org.apache.kafka.tools.ProducerPerformance --topic records --num-records 600 --record-size 10 --throughput 10 \
  --producer-props bootstrap.servers="$at" acks=all) > producer.out 2>&1 &
producer=$!
sleep 8
dead=$(dirname "$(ls -d "$folder"/disk-2-?/records-0)")
mv "$dead" "$dead-gone"
echo "the follower's disk, $(basename "$dead"), is gone"

isr=""
for ((n = 0; n < 10; n++)); do
  isr=$(topics --describe --topic records | sed -n 's/.*Isr: \([0-9,]*\).*/\1/p')
  [ "$isr" = 1 ] && break
  sleep 0.3
done
echo "ISR: $isr"
wait "$producer"
slowest=$(tail -1 producer.out | sed -n 's/.* \([0-9]*\)\.[0-9]* ms max latency.*/\1/p')
tail -1 producer.out
echo "slowest acknowledgement: $slowest ms"
[ "$isr" = 1 ] && ((slowest > 25000 && slowest < 32000))
