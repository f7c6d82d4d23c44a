package probe.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import probe.driver.v1.Start;

/** Asks one question per interval and partition, and one about the cluster, each in turn (driver.proto). */
final class AdminRole extends Instance {
    /** "timestamp" asks for the first record since this many milliseconds, which exists where the topic is fed. */
    private static final long LOOKBACK_MS = 1000;
    private static final List<String> QUERIES = List.of("latest", "earliest", "timestamp", "committed");
    private static final List<String> ABOUT_THE_CLUSTER = List.of("create", "cluster", "create", "group");
    /** Instead of a partition: questions about the cluster. */
    private static final int NOWHERE = -1;
    private static final long NO_OFFSET = -1;

    private final AtomicLong names = new AtomicLong();
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
        List<Questions> all = new ArrayList<>();
        for (int number : start.getPartitionsList()) {
            TopicPartition partition = new TopicPartition(start.getTopic(), number);
            all.add(new Questions(number, QUERIES, query -> answer(query, partition)));
        }
        all.add(new Questions(NOWHERE, ABOUT_THE_CLUSTER, this::answer));
        playOn(all.stream().<Runnable>map(one -> new Ticker(this, one.partition, tick -> one.ask())).toList());
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
                    .thenApply(all -> all.get(partition) == null ? NO_OFFSET : all.get(partition).offset());
        };
    }

    private KafkaFuture<Long> listed(TopicPartition partition, OffsetSpec spec) {
        return admin.listOffsets(Map.of(partition, spec)).partitionResult(partition).thenApply(info -> info.offset());
    }

    private KafkaFuture<Long> answer(String question) {
        return switch (question) {
            case "create" -> {
                NewTopic topic = new NewTopic(start.getTopic() + "-" + names.incrementAndGet(), 1, (short) 1);
                CreateTopicsOptions options = new CreateTopicsOptions().validateOnly(true);
                yield admin.createTopics(List.of(topic), options).all().thenApply(done -> NO_OFFSET);
            }
            case "cluster" -> admin.describeCluster().nodes().thenApply(done -> NO_OFFSET);
            default -> admin.describeConsumerGroups(List.of(start.getGroup())).all().thenApply(done -> NO_OFFSET);
        };
    }

    /** The questions about one partition, or about the cluster. */
    private final class Questions {
        private final int partition;
        private final List<String> inTurn;
        private final Function<String, KafkaFuture<Long>> answer;
        private final AtomicInteger inFlight = new AtomicInteger();
        private long sequence;

        Questions(int partition, List<String> inTurn, Function<String, KafkaFuture<Long>> answer) {
            this.partition = partition;
            this.inTurn = inTurn;
            this.answer = answer;
        }

        void ask() {
            if (inFlight.get() >= start.getMaxInFlight()) {
                return;
            }
            long number = sequence++;
            String question = inTurn.get((int) (number % inTurn.size()));
            inFlight.incrementAndGet();
            reports.sent(partition, number, Reports.clock(), question);
            try {
                answer.apply(question).whenComplete((offset, error) -> ended(number, question, offset, error));
            } catch (KafkaException | IllegalStateException e) {
                ended(number, question, null, e);
            }
        }

        private void ended(long number, String question, Long offset, Throwable error) {
            inFlight.decrementAndGet();
            if (error == null) {
                reports.listed(partition, number, offset, question);
            } else if (!stopping()) {
                // A question in flight while the driver closes the client has no result of the library: close refuses
                // the second request of a group's description (KafkaAdminClient.enqueue).
                reports.listError(partition, number, error, question);
            }
        }
    }
}
