package probe.driver;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Streams' clients with one client id, where Streams gives each its own. They report what Streams does not tell its
 * application: assignments, and commits that succeeded.
 */
final class Clients implements KafkaClientSupplier {
    private final String clientId;
    private final Reports reports;
    private volatile Map<String, String> settings = Map.of();

    Clients(String clientId, Reports reports) {
        this.clientId = clientId;
        this.reports = reports;
    }

    /** Effective settings of the consumer that reads the topic. */
    Map<String, String> settings() {
        return settings;
    }

    @Override
    public Admin getAdmin(Map<String, Object> given) {
        return Admin.create(named(given));
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> given) {
        return new ReportingProducer(named(given));
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> given) {
        ReportingConsumer consumer = new ReportingConsumer(named(given));
        remember(named(given));
        return consumer;
    }

    /** Returns the settings of the consumer that Streams makes itself in a group of its own protocol. */
    Map<String, Object> ofStreamsGroup(Map<String, Object> given) {
        Map<String, Object> named = named(given);
        remember(named);
        named.put(CommitReports.CLIENTS, this);
        return named;
    }

    private void remember(Map<String, Object> given) {
        Map<String, Object> whole = new HashMap<>(given);
        whole.put("key.deserializer", ByteArrayDeserializer.class.getName());
        whole.put("value.deserializer", ByteArrayDeserializer.class.getName());
        settings = Settings.ofConsumer(whole);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> given) {
        return new KafkaConsumer<>(named(given), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> given) {
        return getRestoreConsumer(given);
    }

    private Map<String, Object> named(Map<String, Object> given) {
        Map<String, Object> named = new HashMap<>(given);
        named.put("client.id", clientId);
        return named;
    }

    void reportCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> reports.committed(partition.partition(), offset.offset()));
    }

    /** At least once: offsets are committed by the consumer. */
    private final class ReportingConsumer extends KafkaConsumer<byte[], byte[]> {
        ReportingConsumer(Map<String, Object> given) {
            super(given, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
            super.commitSync(offsets);
            reportCommit(offsets);
        }

        @Override
        public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
            super.subscribe(topics, new ReportingListener(listener));
        }
    }

    private final class ReportingListener implements ConsumerRebalanceListener {
        private final ConsumerRebalanceListener streams;

        ReportingListener(ConsumerRebalanceListener streams) {
            this.streams = streams;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            reports.assigned(GroupRole.numbers(partitions));
            streams.onPartitionsAssigned(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            streams.onPartitionsRevoked(partitions); // it commits
            reports.revoked(GroupRole.numbers(partitions));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            streams.onPartitionsLost(partitions);
            reports.revoked(GroupRole.numbers(partitions));
        }
    }

    /** Exactly once: offsets are committed as part of a transaction. */
    private final class ReportingProducer extends KafkaProducer<byte[], byte[]> {
        private final Map<TopicPartition, OffsetAndMetadata> pending = new HashMap<>();

        ReportingProducer(Map<String, Object> given) {
            super(given, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets,
                ConsumerGroupMetadata group) {
            super.sendOffsetsToTransaction(offsets, group);
            pending.putAll(offsets);
        }

        @Override
        public void commitTransaction() {
            super.commitTransaction();
            reportCommit(pending);
            pending.clear();
        }

        @Override
        public void abortTransaction() {
            pending.clear();
            super.abortTransaction();
        }
    }
}
