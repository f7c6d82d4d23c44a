#!/usr/bin/env bash
# kafka-python 2.2.0 to 2.2.14, the first releases with transactions: send() and then commit_transaction() as in the
# documentation, and neither that call nor the record's future ever returns. No record is written.
#
# Where records are still under way at the commit, the sender's thread asks accumulator.flush_in_progress()
# (kafka/producer/sender.py, 284 of 2.2.0, 285 of 2.2.14), which is named _flush_in_progress() (record_accumulator.py, 563 and
# 566): an AttributeError, which the thread logs as "Uncaught error" (nobody sees it where logging is not set up), and then tries
# again without a pause. flush() before the commit avoids it; 2.2.15 mends it.
#
# Seen 2026-11-29 with Apache Kafka 3.9.2, one broker; one record sent and committed, time for it, in 20 s:
#   2.2.0 and 2.2.14 never, and the record is not written; after flush() 0.3 and 0.0 s; 2.2.15 0.0 s without it
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
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in held), sep="\n")
PY
)
at=127.0.0.1:${ports[1]}
cat > broker.properties <<CONF
node.id=1
process.roles=broker,controller
controller.quorum.voters=1@127.0.0.1:${ports[0]}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
listeners=PLAINTEXT://$at,CONTROLLER://127.0.0.1:${ports[0]}
log.dirs=$folder/log
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
CONF
(kafka kafka.tools.StorageTool format -t AAAAAAAAQAqAAAAAAAAAAg -c broker.properties) > /dev/null
(kafka kafka.Kafka broker.properties) > broker.out 2>&1 &
for ((n = 0; ; n++)); do
  if (kafka org.apache.kafka.tools.TopicCommand --bootstrap-server "$at" --create --topic records) > /dev/null 2>&1; then break; fi
  ((n < 20)) || { cat broker.out; exit 1; }
  sleep 1
done

cat > write.py <<'PY'
import os
import sys
import threading
import time

import kafka

producer = kafka.KafkaProducer(bootstrap_servers=sys.argv[1], transactional_id=sys.argv[2])
producer.init_transactions()
producer.begin_transaction()
begun = time.time()
future = producer.send("records", b"a record")
if "flush" in sys.argv[2]:
    producer.flush()
commit = threading.Thread(target=producer.commit_transaction, daemon=True)
commit.start()
commit.join(20)
sent = "written" if future.is_done and future.succeeded() else "not written"
print(f"{sent}, " + ("commit never returned" if commit.is_alive() else f"committed after {time.time() - begun:.1f} s"), flush=True)
os._exit(0)
PY
for version in 2.2.0 2.2.14 2.2.15; do
  python3 -m venv "$version"
  "$version/bin/pip" install --quiet --disable-pip-version-check "kafka-python==$version"
  for how in commit flush-and-commit; do
    "$version/bin/python" write.py "$at" "$how-$version" > "$how-$version.out" 2> "$how-$version.err"
    echo "kafka-python $version, $how: $(cat "$how-$version.out")"
  done
done
never() { grep -q "^not written, commit never returned" "$1.out"; }
never commit-2.2.0 && never commit-2.2.14 && ! never commit-2.2.15 && ! never flush-and-commit-2.2.14
