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
 * A subscribed member of a group that commits what was delivered, once a second and before it gives a partition up.
 *
 * <p>It commits with {@code commitSync}, as the library's own example of manual offset control and the common
 * frameworks on top of it do by default: an error of it is a failure, since the library retries by itself what can be
 * retried. {@code commitAsync} is documented not to retry, so that each fault would count as an error of the client.
 */
final class GroupRole extends ConsumerRole implements ConsumerRebalanceListener {
    private static final long COMMIT_EACH_US = 1_000_000;

    private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();
    private long committedAt = Report.clock();

    GroupRole(Start start, Report report, Map<String, Object> configuration) {
        super(start, report, configuration);
    }

    @Override
    void take() {
        consumer.subscribe(List.of(start.getTopic()), this);
    }

    @Override
    void delivered(ConsumerRecord<String, String> record) {
        uncommitted.put(new TopicPartition(record.topic(), record.partition()),
                new OffsetAndMetadata(record.offset() + 1));
    }

    @Override
    void polled() {
        if (Report.clock() - committedAt >= COMMIT_EACH_US) {
            commit();
        }
    }

    private void commit() {
        committedAt = Report.clock();
        if (uncommitted.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(new HashMap<>(uncommitted));
            uncommitted.forEach((partition, offset) -> report.committed(partition.partition(), offset.offset()));
            uncommitted.clear();
        } catch (WakeupException e) {
            // the instance is to stop
        } catch (KafkaException e) {
            report.commitError(e);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        report.assigned(numbers(partitions));
    }

    /** Not while closing: a commit that waits for a lost coordinator would not end with close's own timeout. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (!stopping()) {
            commit();
        }
        forget(partitions);
    }

    /** Since 2.4 (KIP-429): they belong to somebody else already, so there is nothing to commit. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        forget(partitions);
    }

    private void forget(Collection<TopicPartition> partitions) {
        uncommitted.keySet().removeAll(partitions);
        report.revoked(numbers(partitions));
    }

    private static List<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).collect(Collectors.toList());
    }
}
