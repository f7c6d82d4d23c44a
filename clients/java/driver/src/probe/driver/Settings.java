package probe.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/** Effective settings, read back from the library, under the names of driver.proto. */
final class Settings {
    /** driver.proto's names and the library's; settings that a version lacks are left out. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("retry_backoff_ms", "retry.backoff.ms"),
            Map.entry("request_timeout_ms", "request.timeout.ms"),
            Map.entry("delivery_timeout_ms", "delivery.timeout.ms"),
            Map.entry("socket_timeout_ms", "socket.connection.setup.timeout.ms"),
            Map.entry("refresh_ms", "metadata.max.age.ms"),
            Map.entry("session_timeout_ms", "session.timeout.ms"),
            Map.entry("rebalance_timeout_ms", "max.poll.interval.ms"),
            Map.entry("heartbeat_ms", "heartbeat.interval.ms"),
            Map.entry("compression", "compression.type"),
            Map.entry("linger_ms", "linger.ms"),
            Map.entry("call_limit_ms", "max.block.ms"),
            Map.entry("max_in_flight", "max.in.flight.requests.per.connection"),
            Map.entry("retries", "retries"),
            Map.entry("isolation", "isolation.level"),
            Map.entry("offset_reset", "auto.offset.reset"));

    private Settings() {}

    static Map<String, String> ofConsumer(Map<String, Object> configuration) {
        Map<String, ?> values = values(ConsumerConfig.class, configuration);
        Map<String, String> found = named(values);
        if ("consumer".equalsIgnoreCase(String.valueOf(values.get("group.protocol")))) {
            // KIP-848: the broker determines both.
            found.remove("session_timeout_ms");
            found.remove("heartbeat_ms");
        }
        return found;
    }

    /** Of a share group the broker decides session, heartbeats, isolation and where it begins (KIP-932). */
    static Map<String, String> ofShareConsumer(Map<String, Object> configuration) {
        try {
            Map<String, String> found = of(Class.forName("org.apache.kafka.clients.consumer.ShareConsumerConfig")
                    .asSubclass(AbstractConfig.class), configuration);
            found.keySet().removeAll(Set.of("session_timeout_ms", "heartbeat_ms", "isolation", "offset_reset"));
            return found;
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    static Map<String, String> of(Class<? extends AbstractConfig> type, Map<String, Object> configuration) {
        return named(values(type, configuration));
    }

    /** Settings of a producer that cannot be reached, where its configuration has them all. */
    static Map<String, String> ofProducerConfig(Map<String, Object> configuration) {
        Map<String, ?> values = values(ProducerConfig.class, configuration);
        Map<String, String> found = named(values);
        String acks = String.valueOf(values.get("acks"));
        found.put("acks", acks.equals("-1") ? "all" : acks);
        found.put("idempotence", String.valueOf(values.get("enable.idempotence")));
        return found;
    }

    /**
     * A producer sets acks, retries and idempotence during its construction (with idempotence before 3.0 its
     * configuration still has acks=1), so these are read from its parts, whose fields have kept their names since 0.9.
     */
    static Map<String, String> ofProducer(KafkaProducer<?, ?> producer, Map<String, Object> configuration) {
        Map<String, String> found = named(values(ProducerConfig.class, configuration));
        Object sender = field(producer, "sender");
        int acks = ((Number) field(sender, "acks")).intValue();
        found.put("acks", acks == -1 ? "all" : String.valueOf(acks));
        found.put("retries", String.valueOf(field(sender, "retries")));
        boolean transactions = has(producer, "transactionManager"); // since 0.11 (KIP-98)
        found.put("idempotence", String.valueOf(transactions && field(producer, "transactionManager") != null));
        return found;
    }

    /** Returns the properties of a configuration class: by configNames(), since 0.10.1, else by its definition. */
    @SuppressWarnings("unchecked") // configNames() returns Set<String> in every version
    static Set<String> names(String type) {
        try {
            Class<?> configuration = Class.forName(type);
            try {
                return (Set<String>) configuration.getMethod("configNames").invoke(null);
            } catch (NoSuchMethodException olderVersion) {
                Field definition = configuration.getDeclaredField("CONFIG");
                definition.setAccessible(true);
                return ((ConfigDef) definition.get(null)).names();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read the properties of " + type, e);
        }
    }

    private static Map<String, String> named(Map<String, ?> values) {
        Map<String, String> found = new LinkedHashMap<>();
        NAMES.forEach((ours, theirs) -> {
            if (values.get(theirs) != null) {
                found.put(ours, String.valueOf(values.get(theirs)));
            }
        });
        long longest = 0;
        for (String key : new String[] {"retry.backoff.ms", "retry.backoff.max.ms", "reconnect.backoff.ms",
            "reconnect.backoff.max.ms"}) {
            longest = Math.max(longest, values.get(key) instanceof Number number ? number.longValue() : 0);
        }
        found.put("longest_backoff_ms", String.valueOf(longest));
        return found;
    }

    /** The library's own view of a configuration. Its constructor is public since 1.0. */
    private static Map<String, ?> values(Class<? extends AbstractConfig> type, Map<String, Object> configuration) {
        try {
            Constructor<? extends AbstractConfig> constructor = type.getDeclaredConstructor(Map.class);
            constructor.setAccessible(true);
            return constructor.newInstance(configuration).values();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read settings back from " + type.getSimpleName(), e);
        }
    }

    private static boolean has(Object owner, String name) {
        return Arrays.stream(owner.getClass().getDeclaredFields()).anyMatch(field -> field.getName().equals(name));
    }

    private static Object field(Object owner, String name) {
        try {
            Field field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(owner);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + name + " of " + owner.getClass().getSimpleName(), e);
        }
    }
}
