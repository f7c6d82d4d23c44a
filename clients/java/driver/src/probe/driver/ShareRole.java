package probe.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.errors.WakeupException;
import probe.driver.v1.Start;

/**
 * A member of a share group (KIP-932) that accepts each record that it was given.
 *
 * <p>By default the library accepts a record with the poll after it. With {@code share.acknowledgement.mode=explicit} the
 * application accepts each record itself. In both modes the library's callback says what became of it.
 */
final class ShareRole extends Instance {
    private static final Duration POLL = Duration.ofMillis(100);

    private final boolean explicit;
    private KafkaShareConsumer<String, String> consumer;

    ShareRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
        explicit = "explicit".equals(configuration.get("share.acknowledgement.mode"));
    }

    @Override
    void open() {
        consumer = new KafkaShareConsumer<>(configuration);
        consumer.setAcknowledgementCommitCallback(this::acknowledged);
    }

    @Override
    Map<String, String> settings() {
        return Settings.ofShareConsumer(configuration);
    }

    @Override
    void play() {
        consumer.subscribe(List.of(start.getTopic()));
        while (!stopping()) {
            try {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    reports.received(record.partition(), record.offset(), record.value());
                    handled();
                    if (explicit) {
                        consumer.acknowledge(record, AcknowledgeType.ACCEPT);
                    }
                }
            } catch (WakeupException e) {
                // the instance is to stop
            } catch (KafkaException e) {
                reports.receiveError(e);
                pauseAfterError();
            }
        }
    }

    private void acknowledged(Map<TopicIdPartition, Set<Long>> records, Exception error) {
        records.forEach((partition, offsets) -> offsets.forEach(offset -> {
            if (error == null) {
                reports.committed(partition.partition(), offset);
            } else {
                reports.commitError(partition.partition(), offset, error);
            }
        }));
    }

    @Override
    void wake() {
        if (consumer != null) {
            consumer.wakeup();
        }
    }

    @Override
    void close(Duration timeout) {
        consumer.close(timeout);
    }
}
