#!/usr/bin/env bash
# kafka-python 2.2.1 to 2.2.3: a consumer whose partitions are led by two brokers reads the partitions of one of them only, for
# ever and without an error. With one broker, as in most tests, all is well.
#
# The consumer asks each leader for its first offsets. The callbacks are made in a loop over the brokers and read the loop's
# variable (kafka/consumer/fetcher.py, 410 to 442 of 2.2.1), which is the last broker's when the answers come: the others end in
# a KeyError inside the callback, and their partitions never get a position. 2.2.4 (#2612) mends it.
#
# Seen 2026-11-29 with Apache Kafka 3.9.2, two brokers, a partition on each, 20 records in each; records read in 15 s:
#   2.1.6 20 and 20; 2.2.1 of one partition 20 and of the other none; 2.2.4 20 and 20
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
controller.quorum.voters=1@127.0.0.1:${ports[0]}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/log-$node
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
  if (kafka org.apache.kafka.tools.TopicCommand --bootstrap-server "$at" --create --topic records --replica-assignment 1,2) \
    > /dev/null 2>&1; then break; fi
  ((n < 20)) || { cat broker-*.out; exit 1; }
  sleep 1
done

python3 -m venv venv
cat > write.py <<'PY'
import sys

from kafka import KafkaProducer

producer = KafkaProducer(bootstrap_servers=sys.argv[1])
for number in range(40):
    producer.send("records", b"record", partition=number % 2).get(30)
PY
cat > read.py <<'PY'
import sys
import time

from kafka import KafkaConsumer, TopicPartition

consumer = KafkaConsumer(bootstrap_servers=sys.argv[1], auto_offset_reset="earliest", enable_auto_commit=False)
consumer.assign([TopicPartition("records", number) for number in (0, 1)])
counts, until = {0: 0, 1: 0}, time.monotonic() + 15
while sum(counts.values()) < 40 and time.monotonic() < until:
    for partition, records in consumer.poll(timeout_ms=500).items():
        counts[partition.partition] += len(records)
print(*sorted(counts.values()))
PY
found=""
for version in 2.1.6 2.2.1 2.2.4; do
  venv/bin/pip install --quiet --disable-pip-version-check "kafka-python==$version"
  [ "$version" != 2.1.6 ] || venv/bin/python write.py "$at" 2> /dev/null
  found+="$version: $(venv/bin/python read.py "$at" 2> /dev/null)"$'\n'
done
echo "records read of 20 and 20, the fewer first:"
printf %s "$found"
[ "$found" = "2.1.6: 20 20
2.2.1: 0 20
2.2.4: 20 20
" ]
