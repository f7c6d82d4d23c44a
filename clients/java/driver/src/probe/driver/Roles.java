package probe.driver;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import probe.driver.v1.Start;

/** Converts a Start to a role and its configuration, or to the reason why it is unsupported. */
final class Roles {
    private Roles() {}

    static List<String> names(Library library) {
        return Arrays.stream(Role.values()).filter(role -> role.absentFrom(library).isEmpty()).map(Role::word)
                .collect(Collectors.toList());
    }

    /** Throws UnsupportedException for a role or a workload that the library does not have. */
    static Role of(Start start, Library library) {
        Role role = Role.named(start.getRole())
                .orElseThrow(() -> new UnsupportedException("this driver has no role " + start.getRole()));
        String missing = role.absentFrom(library);
        if (!missing.isEmpty()) {
            throw new UnsupportedException(missing + "; this is " + library.version());
        }
        Series.check(start, role);
        return role;
    }

    /** The library's settings: what a client needs, the profile's, the properties. Throws UnsupportedException. */
    static Map<String, Object> configuration(Start start, Role role, Library library) {
        Map<String, Object> configuration = required(start, role);
        configuration.putAll(Profiles.of(start, role, library));
        start.getPropertiesMap().forEach((key, value) -> {
            if (!role.knows(key)) {
                throw new UnsupportedException("kafka-clients " + library.version() + " has no property " + key
                        + " for the role " + role.word());
            }
            configuration.put(key, value);
        });
        return configuration;
    }

    /** Settings that a client needs; all others keep the library's defaults. */
    private static Map<String, Object> required(Start start, Role role) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", String.join(",", start.getBootstrapList()));
        settings.put("client.id", start.getClientId());
        settings.putAll(ListenerSecurity.of(start));
        if (role.writes()) {
            settings.put("key.serializer", StringSerializer.class.getName());
            settings.put("value.serializer", StringSerializer.class.getName());
        }
        if (role == Role.TRANSACTIONAL) {
            settings.put("transactional.id", start.getTransactionalId());
        }
        if (role.reads()) {
            settings.put("key.deserializer", StringDeserializer.class.getName());
            settings.put("value.deserializer", StringDeserializer.class.getName());
        }
        if (role == Role.CONSUMER || role == Role.GROUP) {
            settings.put("enable.auto.commit", "false");
        }
        if (role == Role.GROUP || role == Role.SHARE) {
            settings.put("group.id", start.getGroup());
        }
        if (role == Role.GROUP) {
            // As in all families: a member delivers the whole topic.
            settings.put("auto.offset.reset", "earliest");
        }
        return settings;
    }
}
