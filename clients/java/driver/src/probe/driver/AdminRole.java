package probe.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import probe.driver.v1.Start;

/** Queries offsets of every partition, one query per interval, four kinds in turn. */
final class AdminRole extends Instance {
    /** "timestamp" asks for the first record since this many milliseconds, which exists where the topic is fed. */
    private static final long LOOKBACK_MS = 1000;
    private static final String[] QUERIES = {"latest", "earliest", "timestamp", "committed"};

    private AdminClient admin;

    AdminRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
    }

    @Override
    void open() {
        admin = AdminClient.create(configuration);
    }

    @Override
    Map<String, String> settings() {
        return Settings.of(AdminClientConfig.class, configuration);
    }

    @Override
    void play() throws InterruptedException {
        playOn(start.getPartitionsList().stream().map(PartitionWorkload::new)
                .<Runnable>map(item -> new Ticker(this, item.partition.partition(), tick -> item.ask())).toList());
    }

    @Override
    void close(Duration timeout) {
        admin.close(timeout);
    }

    private KafkaFuture<Long> answer(String query, TopicPartition partition) {
        return switch (query) {
            case "latest" -> listed(partition, OffsetSpec.latest());
            case "earliest" -> listed(partition, OffsetSpec.earliest());
            case "timestamp" -> listed(partition, OffsetSpec.forTimestamp(System.currentTimeMillis() - LOOKBACK_MS));
            default -> admin.listConsumerGroupOffsets(start.getGroup()).partitionsToOffsetAndMetadata()
                    .thenApply(all -> all.get(partition) == null ? -1L : all.get(partition).offset());
        };
    }

    private KafkaFuture<Long> listed(TopicPartition partition, OffsetSpec spec) {
        return admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).thenApply(info -> info.offset());
    }

    /** The queries about one partition. */
    private final class PartitionWorkload {
        private final TopicPartition partition;
        private final AtomicInteger inFlight = new AtomicInteger();
        private long sequence;

        PartitionWorkload(int partition) {
            this.partition = new TopicPartition(start.getTopic(), partition);
        }

        void ask() {
            if (inFlight.get() >= start.getMaxInFlight()) {
                return;
            }
            long number = sequence++;
            String query = QUERIES[(int) (number % QUERIES.length)];
            inFlight.incrementAndGet();
            reports.sent(partition.partition(), number, Reports.clock(), query);
            try {
                answer(query, partition).whenComplete((offset, error) -> ended(number, query, offset, error));
            } catch (KafkaException | IllegalStateException e) {
                ended(number, query, null, e);
            }
        }

        private void ended(long number, String query, Long offset, Throwable error) {
            inFlight.decrementAndGet();
            if (error == null) {
                reports.listed(partition.partition(), number, offset, query);
            } else {
                reports.listError(partition.partition(), number, error, query);
            }
        }
    }
}
