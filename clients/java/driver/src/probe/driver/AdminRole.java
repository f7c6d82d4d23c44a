package probe.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import probe.driver.v1.Start;

/** Asks for offsets of each partition, one question an interval, four kinds in turn. */
final class AdminRole extends Instance {
    /** "timestamp" asks for the first record of the last second or later, which exists where the topic is fed. */
    private static final long LOOK_BACK_MS = 1000;
    private static final String[] QUESTIONS = {"latest", "earliest", "timestamp", "committed"};

    private AdminClient admin;

    AdminRole(Start start, Report report, Map<String, Object> configuration) {
        super(start, report, configuration);
    }

    @Override
    void open() {
        admin = AdminClient.create(configuration);
    }

    @Override
    Map<String, String> settings() {
        return Settings.ofAdmin(configuration);
    }

    @Override
    void play() throws InterruptedException {
        playOn(start.getPartitionsList().stream().map(Lane::new)
                .<Runnable>map(lane -> new Beat(this, lane.partition.partition(), beat -> lane.ask())).toList());
    }

    @Override
    void close(Duration timeout) {
        admin.close(timeout);
    }

    private KafkaFuture<Long> answer(String question, TopicPartition partition) {
        return switch (question) {
            case "latest" -> listed(partition, OffsetSpec.latest());
            case "earliest" -> listed(partition, OffsetSpec.earliest());
            case "timestamp" -> listed(partition, OffsetSpec.forTimestamp(System.currentTimeMillis() - LOOK_BACK_MS));
            default -> admin.listConsumerGroupOffsets(start.getGroup()).partitionsToOffsetAndMetadata()
                    .thenApply(all -> all.get(partition) == null ? -1L : all.get(partition).offset());
        };
    }

    private KafkaFuture<Long> listed(TopicPartition partition, OffsetSpec spec) {
        return admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).thenApply(info -> info.offset());
    }

    /** The questions about one partition. */
    private final class Lane {
        private final TopicPartition partition;
        private final AtomicInteger inFlight = new AtomicInteger();
        private long sequence;

        Lane(int partition) {
            this.partition = new TopicPartition(start.getTopic(), partition);
        }

        void ask() {
            if (inFlight.get() >= start.getMaxInFlight()) {
                return;
            }
            long number = sequence++;
            String question = QUESTIONS[(int) (number % QUESTIONS.length)];
            inFlight.incrementAndGet();
            report.sent(partition.partition(), number, Report.clock(), question);
            try {
                answer(question, partition).whenComplete((offset, error) -> ended(number, question, offset, error));
            } catch (KafkaException | IllegalStateException e) {
                ended(number, question, null, e);
            }
        }

        private void ended(long number, String question, Long offset, Throwable error) {
            inFlight.decrementAndGet();
            if (error == null) {
                report.listed(partition.partition(), number, offset, question);
            } else {
                report.listError(partition.partition(), number, error, question);
            }
        }
    }
}
