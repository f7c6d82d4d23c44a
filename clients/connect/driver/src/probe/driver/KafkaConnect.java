package probe.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.runtime.ConnectorConfig;
import probe.driver.v1.Start;

/** Kafka Connect, whose releases are those of the kafka-clients inside: a source task writes, a sink task reads. */
record KafkaConnect(Library library) implements HostApplication {
    private static final Map<Role, String> PREFIXES = Map.of(Role.PRODUCER, "producer.", Role.GROUP, "consumer.");
    /** Keys of the worker that a property may set; others make the worker or identify it. */
    private static final Set<String> WORKER =
            Set.of("offset.flush.interval.ms", "offset.flush.timeout.ms", "task.shutdown.graceful.timeout.ms");

    /** What is written into the worker's file, and into the connector's. */
    record Files(Map<String, String> worker, Map<String, String> connector) {}

    @Override
    public String family() {
        return "connect";
    }

    @Override
    public List<Role> driven() {
        return List.of(Role.PRODUCER, Role.GROUP);
    }

    @Override
    public Instance create(Start start, Reports reports) {
        Role role = role(start);
        if (!start.getWorkload().isEmpty() && !start.getWorkload().equals("continuous")) {
            throw new UnsupportedException("this driver has no workload " + start.getWorkload());
        }
        Files files = new Files(new HashMap<>(), new HashMap<>());
        Profiles.of(start, role, library)
                .forEach((key, value) -> files.worker.put(PREFIXES.get(role) + key, value));
        start.getPropertiesMap().forEach((key, value) -> place(key, value, role, files));
        return role == Role.PRODUCER
                ? new SourceRole(start, reports, files)
                : new SinkRole(start, reports, files);
    }

    private void place(String key, String value, Role role, Files files) {
        String prefix = PREFIXES.get(role);
        if (WORKER.contains(key) || key.startsWith(prefix) && role.knows(key.substring(prefix.length()))) {
            files.worker.put(key, value);
        } else if (ConnectorConfig.configDef().names().contains(key) && key.startsWith("errors.")) {
            files.connector.put(key, value);
        } else {
            throw new UnsupportedException("Kafka Connect " + version() + " has no property " + key + "; give "
                    + prefix + "KEY of kafka-clients, errors.KEY of a connector, or one of " + WORKER);
        }
    }
}
