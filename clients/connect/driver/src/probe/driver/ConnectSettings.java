package probe.driver;

import java.util.HashMap;
import java.util.Map;

/** Effective settings of the client in a task: Connect's own, and what the worker's file adds. */
final class ConnectSettings {
    private static final String BYTES = "org.apache.kafka.common.serialization.ByteArray";
    /** Worker.baseProducerConfigs. */
    static final Map<String, String> PRODUCER = Map.of(
            "bootstrap.servers", "127.0.0.1:1", "key.serializer", BYTES + "Serializer",
            "value.serializer", BYTES + "Serializer", "max.block.ms", String.valueOf(Long.MAX_VALUE),
            "enable.idempotence", "false", "acks", "all", "max.in.flight.requests.per.connection", "1",
            "delivery.timeout.ms", String.valueOf(Integer.MAX_VALUE));
    /** Worker.baseConsumerConfigs. */
    static final Map<String, String> CONSUMER = Map.of(
            "bootstrap.servers", "127.0.0.1:1", "key.deserializer", BYTES + "Deserializer",
            "value.deserializer", BYTES + "Deserializer", "enable.auto.commit", "false",
            "auto.offset.reset", "earliest");

    private ConnectSettings() {}

    /** Returns them under the names of driver.proto; {@code given} has the worker's keys. */
    static Map<String, String> of(Map<String, String> own, String prefix, Map<String, Object> given) {
        Map<String, Object> whole = new HashMap<>(own);
        given.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                whole.put(key.substring(prefix.length()), value);
            }
        });
        return prefix.equals("consumer.") ? Settings.ofConsumer(whole) : Settings.ofProducerConfig(whole);
    }
}
