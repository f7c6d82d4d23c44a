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

/** Reads the partitions it is given, from their beginning. */
class ConsumerRole extends Instance {
    private static final Duration POLL = Duration.ofMillis(100);

    KafkaConsumer<String, String> consumer;

    ConsumerRole(Start start, Report report, Map<String, Object> configuration) {
        super(start, report, configuration);
    }

    @Override
    final void open() {
        consumer = new KafkaConsumer<>(configuration);
    }

    @Override
    final Map<String, String> settings() {
        return Settings.ofConsumer(configuration);
    }

    /** Takes the partitions before the first poll. */
    void take() {
        List<TopicPartition> mine = start.getPartitionsList().stream()
                .map(partition -> new TopicPartition(start.getTopic(), partition)).collect(Collectors.toList());
        consumer.assign(mine);
        consumer.seekToBeginning(mine);
        report.assigned(start.getPartitionsList());
    }

    /** Told of each record after it was reported. */
    void delivered(ConsumerRecord<String, String> record) {}

    /** Called after each poll. */
    void polled() {}

    @Override
    final void play() {
        take();
        while (!stopping()) {
            try {
                for (ConsumerRecord<String, String> record : Bridge.poll(consumer, POLL)) {
                    report.received(record.partition(), record.offset(), record.value());
                    delivered(record);
                }
                polled();
            } catch (WakeupException e) {
                // the instance is to stop
            } catch (KafkaException e) {
                report.receiveError(e);
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
        Bridge.close(consumer, timeout);
    }
}
