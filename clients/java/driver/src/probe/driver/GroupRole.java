package probe.driver;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import probe.driver.v1.Start;

/**
 * A subscribed member of a group that commits delivered records, once per second and before a partition is revoked.
 *
 * <p>It commits with {@code commitSync}, as the library's own example of manual offset control and common frameworks do
 * by default: its error is final, since the library retries what can be retried. {@code commitAsync} is documented not
 * to retry, so every fault would count as an error of the client.
 */
final class GroupRole extends ConsumerRole implements ConsumerRebalanceListener {
    private static final long COMMIT_INTERVAL_US = 1_000_000;

    private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();
    private final boolean byLibrary;
    private long committedAt = Reports.clock();

    GroupRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
        byLibrary = "true".equals(configuration.get("enable.auto.commit"));
    }

    @Override
    void assign() {
        CompatibleCalls.subscribe(consumer, List.of(start.getTopic()), this);
    }

    @Override
    void delivered(ConsumerRecord<String, String> record) {
        uncommitted.put(new TopicPartition(record.topic(), record.partition()),
                new OffsetAndMetadata(record.offset() + 1));
    }

    @Override
    void polled() {
        if (Reports.clock() - committedAt >= COMMIT_INTERVAL_US) {
            commit();
        }
    }

    private void commit() {
        committedAt = Reports.clock();
        if (byLibrary || uncommitted.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(new HashMap<>(uncommitted));
            uncommitted.forEach((partition, offset) -> reports.committed(partition.partition(), offset.offset()));
            uncommitted.clear();
        } catch (WakeupException e) {
            // the instance is to stop
        } catch (KafkaException e) {
            reports.commitError(e);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        reports.assigned(numbers(partitions));
    }

    /** Does not commit while closing: a commit to a lost coordinator would outlast the timeout of close. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (!stopping()) {
            commit();
        }
        forget(partitions);
    }

    /** Since 2.4 (KIP-429): another member has these partitions already, so nothing is committed. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        forget(partitions);
    }

    private void forget(Collection<TopicPartition> partitions) {
        uncommitted.keySet().removeAll(partitions);
        reports.revoked(numbers(partitions));
    }

    static List<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(Collectors.toList());
    }
}
