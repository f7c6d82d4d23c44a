#!/usr/bin/env bash
# kafka-python 3.0.0 to 3.0.5: a consumer that reads several partitions reads nothing more of one whose leader has changed, for
# as long as chance has it, without an error, while it goes on with the others.
#
# Before it reads on, the consumer compares its position with the leader (KIP-320). The position is validated if its last
# record's epoch is older than the leader's, and the answer writes that older epoch down as the position's
# (kafka/consumer/fetcher.py, 1111 of 3.0.0): by the next poll() it is older again, and no Fetch of the partition is sent. A Fetch
# slips through where the answer comes within the same poll(): with brokers on the same machine at once, with 1 ms each way after
# 1 to 8 s. 3.0.6 (#3107) keeps the epoch that was compared apart from the record's.
#
# Seen 2026-11-29 with Apache Kafka 3.9.2, 5 ms each way to it; two partitions, 20 records a second, the leader of partition 0
# shuts down; time until the first record of partition 0 from then on, in 30 s:
#   2.3.3 1 s; 3.0.0 never; 3.0.5 never; 3.0.6 1 s
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
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(5)]
print(*(one.getsockname()[1] for one in held), sep="\n")
PY
)
at=127.0.0.1:${ports[3]}
cat > distance.py <<'PY'
import asyncio
import sys


async def carry(reader, writer):
    try:
        while data := await reader.read(65536):
            await asyncio.sleep(0.005)
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


def towards(port):
    async def met(reader, writer):
        try:
            other = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(carry(reader, other[1]), carry(other[0], writer))

    return met


async def main(pairs):
    servers = [await asyncio.start_server(towards(there), "127.0.0.1", here) for here, there in pairs]
    await asyncio.gather(*(server.serve_forever() for server in servers))


ports = [int(word) for word in sys.argv[1:]]
asyncio.run(main(list(zip(ports[::2], ports[1::2]))))
PY
python3 distance.py "${ports[3]}" "${ports[1]}" "${ports[4]}" "${ports[2]}" & # a network's 5 ms each way
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
listeners=PLAINTEXT://127.0.0.1:${ports[1]},CONTROLLER://127.0.0.1:${ports[0]}
advertised.listeners=PLAINTEXT://$at" >> 1.properties
echo "process.roles=broker
listeners=PLAINTEXT://127.0.0.1:${ports[2]}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports[4]}" >> 2.properties
for node in 1 2; do
  (kafka kafka.tools.StorageTool format -t AAAAAAAAQAqAAAAAAAAAAg -c "$node.properties") > /dev/null
  (kafka kafka.Kafka "$node.properties") > "broker-$node.out" 2>&1 &
  broker=$!
done
for ((n = 0; ; n++)); do # both brokers have to be there
  if (kafka org.apache.kafka.tools.TopicCommand --bootstrap-server "$at" --create --topic records \
    --replica-assignment 2:1,1:2) > /dev/null 2>&1; then break; fi
  ((n < 20)) || { cat broker-*.out; exit 1; }
  sleep 1
done
(kafka org.apache.kafka.tools.ProducerPerformance --topic records --num-records 4000 --record-size 10 --throughput 20 \
  --producer-props bootstrap.servers="$at" linger.ms=0 partitioner.ignore.keys=true batch.size=1) > /dev/null 2>&1 &

cat > read.py <<'PY'
import pathlib
import sys
import time

import kafka

consumer = kafka.KafkaConsumer(bootstrap_servers=sys.argv[1], auto_offset_reset="earliest", enable_auto_commit=False)
consumer.assign([kafka.TopicPartition("records", number) for number in (0, 1)])
changed, counts, since = pathlib.Path("changed"), {0: 0, 1: 0}, None
while since is None or time.time() < since + 30:
    for partition, records in consumer.poll(timeout_ms=200).items():
        counts[partition.partition] += len(records)
        written = max(record.timestamp for record in records) / 1000
        if partition.partition == 0 and since is not None and written > since + 0.5:
            print(f"{time.time() - since:.0f} s")
            sys.exit()
    if min(counts.values()) > 20:
        pathlib.Path(f"read-{kafka.__version__}").touch()
    if since is None and changed.exists():
        since = changed.stat().st_mtime
print("never")
PY
versions=(2.3.3 3.0.0 3.0.5 3.0.6)
readers=()
for version in "${versions[@]}"; do
  python3 -m venv "$version"
  "$version/bin/pip" install --quiet --disable-pip-version-check "kafka-python==$version"
  "$version/bin/python" read.py "$at" > "$version.out" 2> "$version.err" &
  readers+=($!)
done
for version in "${versions[@]}"; do
  for ((n = 0; n < 60; n++)); do [ -e "read-$version" ] && break; sleep 1; done
done
touch changed
kill "$broker" # the leader of partition 0 shuts down, as in a rolling restart
wait "${readers[@]}"
for version in "${versions[@]}"; do
  echo "kafka-python $version: a record of partition 0 after $(cat "$version.out")"
done
[ "$(cat 3.0.0.out)" = never ] && [ "$(cat 3.0.5.out)" = never ] && [ "$(cat 2.3.3.out)" != never ] && [ "$(cat 3.0.6.out)" != never ]
