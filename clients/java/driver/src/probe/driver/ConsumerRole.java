package probe.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import probe.driver.v1.Start;

/** Reads the given partitions from their beginning. */
class ConsumerRole extends Instance {
    private static final Duration POLL = Duration.ofMillis(100);

    KafkaConsumer<String, String> consumer;

    ConsumerRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
    }

    @Override
    final void open() {
        consumer = new KafkaConsumer<>(configuration);
    }

    @Override
    final Map<String, String> settings() {
        return Settings.ofConsumer(configuration);
    }

    /** Assigns the partitions before the first poll. */
    void assign() {
        List<TopicPartition> mine = start.getPartitionsList().stream()
                .map(partition -> new TopicPartition(start.getTopic(), partition)).collect(Collectors.toList());
        CompatibleCalls.assign(consumer, mine);
        CompatibleCalls.seekToBeginning(consumer, mine);
        reports.assigned(start.getPartitionsList());
    }

    /** Called with every record after it was reported. */
    void delivered(ConsumerRecord<String, String> record) {}

    /** Called after every poll. */
    void polled() {}

    @Override
    final void play() {
        assign();
        while (!stopping()) {
            try {
                for (ConsumerRecord<String, String> record : CompatibleCalls.poll(consumer, POLL)) {
                    reports.received(record.partition(), record.offset(), record.value());
                    handled();
                    delivered(record);
                }
                polled();
            } catch (WakeupException e) {
                // the instance is to stop
            } catch (KafkaException e) {
                reports.receiveError(e);
                pauseAfterError();
            }
        }
    }

    @Override
    final void wake() {
        if (consumer != null) {
            consumer.wakeup();
        }
    }

    @Override
    final void close(Duration timeout) {
        CompatibleCalls.close(consumer, timeout);
    }
}
