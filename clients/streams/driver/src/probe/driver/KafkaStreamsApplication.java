package probe.driver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.StreamsConfig;
import probe.driver.v1.Start;

/** Kafka Streams, whose releases are those of the kafka-clients inside. */
record KafkaStreamsApplication(Library library) implements HostApplication {
    /** {@code isolated} with the group protocol of Streams (KIP-1071). */
    private static final String STREAMS_PROTOCOL = "streams-protocol";
    private static final Map<String, Role> PREFIXES =
            Map.of("consumer.", Role.GROUP, "producer.", Role.PRODUCER, "admin.", Role.ADMIN);

    @Override
    public String family() {
        return "streams";
    }

    @Override
    public List<Role> driven() {
        return List.of(Role.GROUP);
    }

    @Override
    public List<String> profiles() {
        List<String> names =
                new ArrayList<>(List.of("isolated", "defaults", "refresh-1s", "quick-timeouts", "short-limits"));
        if (library.atLeast(4, 2)) {
            names.add(STREAMS_PROTOCOL);
        }
        return names;
    }

    @Override
    public Instance create(Start start, Reports reports) {
        Role role = role(start);
        if (!profiles().contains(start.getProfile())) {
            throw new UnsupportedException("this driver has no profile " + start.getProfile());
        }
        Map<String, Object> settings = new HashMap<>();
        boolean streamsGroup = start.getProfile().equals(STREAMS_PROTOCOL);
        Start ofClients = streamsGroup ? start.toBuilder().setProfile("isolated").build() : start;
        Profiles.of(ofClients, role, library).forEach((key, value) -> PREFIXES.forEach((prefix, client) -> {
            if (client.knows(key)) {
                settings.put(prefix + key, value);
            }
        }));
        if (streamsGroup) {
            settings.put("group.protocol", "streams");
        }
        start.getPropertiesMap().forEach((key, value) -> {
            if (!knows(key)) {
                throw new UnsupportedException("Kafka Streams " + version() + " has no property " + key);
            }
            settings.put(key, value);
        });
        return new TopologyRole(start, reports, settings);
    }

    private static boolean knows(String key) {
        String prefix = key.substring(0, key.indexOf('.') + 1);
        Role client = PREFIXES.get(prefix);
        return StreamsConfig.configDef().names().contains(key)
                || client != null && client.knows(key.substring(prefix.length()));
    }
}
