#!/usr/bin/env bash
# kafka-clients 4.1.2: a share consumer confirms acceptances that its broker refused.
#
# A broker that restarted does not know the share session of its members. The ShareFetch that brings acceptances is refused
# as a whole (SHARE_SESSION_NOT_FOUND). 4.1.2 leaves them under way (handleShareFetchSuccess in
# org/apache/kafka/clients/consumer/internals/ShareConsumeRequestManager), begins a new session, and confirms them with the
# answer to its first fetch, which is about other things. The records come again. 4.2.2 fails them with the error.
# Share groups are a preview in 4.1.
#
# Seen 2026-11-30, one broker of 4.4.0, three records, accepted by the poll after them:
#   4.1.2 confirms [0, 1, 2] without an error, and is given all three again
#   4.2.2 fails [0, 1, 2] first, is given them again, and then confirms them
set -euo pipefail

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

jars() { # FOLDER and the dependencies in it
  mkdir "$1"
  { echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>jars</artifactId><version>1</version><dependencies>'
    for name in "${@:2}"; do
      IFS=: read -r group artifact version <<< "$name"
      echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
    done
    echo '</dependencies></project>'; } > "$1/pom.xml"
  mvn -q -B -f "$1/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies -DoutputDirectory=.
}
jars broker org.apache.kafka:kafka_2.13:4.4.0 org.apache.logging.log4j:log4j-slf4j-impl:2.25.5
jars old org.apache.kafka:kafka-clients:4.1.2 org.slf4j:slf4j-nop:1.7.36
jars new org.apache.kafka:kafka-clients:4.2.2 org.slf4j:slf4j-nop:1.7.36

cat > Held.java <<'JAVA'
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.*;

public class Held {
    public static void main(String[] args) throws Exception {
        String at = args[0], name = args[1];
        Map<String, Object> where = Map.of("bootstrap.servers", at);
        try (Admin admin = Admin.create(where)) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
            ConfigEntry earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, name),
                List.of(new AlterConfigOp(earliest, AlterConfigOp.OpType.SET)))).all().get();
        }
        try (Producer<String, String> producer = new KafkaProducer<>(where, new StringSerializer(), new StringSerializer())) {
            for (int n = 0; n < 3; n++) producer.send(new ProducerRecord<>(name, "record " + n)).get();
        }
        Map<String, Object> settings = Map.of("bootstrap.servers", at, "group.id", name);
        Set<Long> given = new TreeSet<>(), confirmed = new TreeSet<>(), refused = new TreeSet<>(), again = new TreeSet<>();
        try (ShareConsumer<String, String> consumer =
                new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.setAcknowledgementCommitCallback((offsets, error) ->
                offsets.values().forEach((error == null ? confirmed : refused)::addAll));
            consumer.subscribe(List.of(name));
            while (given.isEmpty())
                consumer.poll(Duration.ofMillis(200)).forEach(record -> given.add(record.offset()));
            Files.createFile(Path.of(name + ".held"));
            while (!Files.exists(Path.of(name + ".back"))) Thread.sleep(100);
            for (long end = System.currentTimeMillis() + 20_000; System.currentTimeMillis() < end; )
                consumer.poll(Duration.ofMillis(200)).forEach(record -> again.add(record.offset()));
        }
        Set<Long> twice = new TreeSet<>(again);
        twice.retainAll(confirmed);
        System.out.println(name + ": confirmed " + confirmed + ", refused " + refused + ", given again " + again);
        System.exit(twice.isEmpty() || !refused.isEmpty() ? 1 : 0);
    }
}
JAVA
javac -cp 'old/*' Held.java

mapfile -t ports < <(python3 - <<'PY'
import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in held), sep="\n")
PY
)
at=127.0.0.1:${ports[0]}
cat > broker.properties <<CONF
node.id=1
process.roles=broker,controller
controller.quorum.voters=1@127.0.0.1:${ports[1]}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://$at,CONTROLLER://127.0.0.1:${ports[1]}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/disk
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
CONF
kafka() { exec java -Xmx256m -XX:TieredStopAtLevel=1 -cp 'broker/*' "$@"; }
(kafka kafka.tools.StorageTool format -t AAAAAAAAQAqAAAAAAAAAAg -c broker.properties) > /dev/null
begin() {
  (kafka kafka.Kafka broker.properties) > broker.out 2>&1 &
  broker=$!
  until (exec 3<> "/dev/tcp/127.0.0.1/${ports[0]}") 2> /dev/null; do sleep 0.2; done
}
until_there() { for ((n = 0; n < 600; n++)); do [ -e "$1" ] && return; sleep 0.1; done; echo "$1 did not come"; exit 1; }

shown() { # the exit code says whether confirmed records came again, with no refusal
  (exec java -cp "$1/*:." Held "$at" "$1") &
  local client=$!
  until_there "$1.held"
  kill -9 "$broker"
  wait "$broker" 2> /dev/null || true
  begin
  touch "$1.back"
  wait "$client"
}
begin
shown old && ! shown new
