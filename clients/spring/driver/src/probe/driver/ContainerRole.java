package probe.driver;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.event.ConsumerStoppedEvent;
import org.springframework.kafka.event.ConsumerStoppedEvent.Reason;
import org.springframework.kafka.event.KafkaEvent;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import probe.driver.v1.Start;

/**
 * A container with one consumer, Spring's defaults and its DefaultErrorHandler. It commits after every poll, with
 * {@code commitSync}. What poll and commit throw reaches the container, which reports it to its error
 * handler, or as an event that the consumer stopped, which ends the instance.
 */
final class ContainerRole extends Instance implements ConsumerRebalanceListener {
    private final ConcurrentMessageListenerContainer<String, String> container;
    /** The last exceptions of the consumer's own thread: of any call, and of a commit. */
    private volatile RuntimeException thrown;
    private volatile RuntimeException refused;

    ContainerRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
        ContainerProperties properties = new ContainerProperties(start.getTopic());
        properties.setMessageListener((MessageListener<String, String>) this::receive);
        properties.setConsumerRebalanceListener(this);
        container = new ConcurrentMessageListenerContainer<>(new Factory(configuration), properties);
        container.setBeanName(start.getInstance());
        container.setAlwaysClientIdSuffix(false); // the client id is that of the configuration
        container.setCommonErrorHandler(new ErrorHandler());
        container.setApplicationEventPublisher(event -> {
            if (event instanceof KafkaEvent told) {
                happened(told);
            }
        });
    }

    /** The container opens the consumer as it starts; a configuration that it would reject is rejected here. */
    @Override
    void open() {
        new ConsumerConfig(configuration);
    }

    @Override
    Map<String, String> settings() {
        return Settings.ofConsumer(configuration);
    }

    @Override
    void play() throws InterruptedException {
        container.start();
        playOn(List.of()); // the container has a thread of its own
    }

    @Override
    void close(Duration timeout) {
        container.getContainerProperties().setShutdownTimeout(timeout.toMillis());
        container.stop();
    }

    private void receive(ConsumerRecord<String, String> record) {
        reports.received(record.partition(), record.offset(), record.value());
        handled();
    }

    private void happened(KafkaEvent event) {
        if (event instanceof ConsumerStoppedEvent stopped && stopped.getReason() != Reason.NORMAL) {
            reports.notice("event ConsumerStoppedEvent, reason " + stopped.getReason());
            RuntimeException last = thrown;
            fail(last == null ? new IllegalStateException("consumer stopped: " + stopped.getReason()) : last);
        } else if (!stopping()) {
            notice("event " + event.getClass().getSimpleName());
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        reports.assigned(GroupRole.numbers(partitions));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        reports.revoked(GroupRole.numbers(partitions));
    }

    /** Spring's default, whose calls are reported. */
    private final class ErrorHandler extends DefaultErrorHandler {
        ErrorHandler() {
            setRetryListeners((record, error, attempt) -> notice("delivery attempt " + attempt + ": " + error));
        }

        @Override
        public void handleOtherException(Exception error, Consumer<?, ?> consumer, MessageListenerContainer container,
                boolean batch) {
            if (error != refused) { // reported as the error of a commit
                reports.receiveError(error);
            }
            super.handleOtherException(error, consumer, container, batch);
        }
    }

    private final class Factory extends DefaultKafkaConsumerFactory<String, String> {
        Factory(Map<String, Object> configuration) {
            super(configuration);
        }

        @Override
        protected Consumer<String, String> createRawConsumer(Map<String, Object> given) {
            return new ReportingConsumer(given);
        }
    }

    /** Reports commits, and keeps what is thrown. */
    private final class ReportingConsumer extends KafkaConsumer<String, String> {
        ReportingConsumer(Map<String, Object> configuration) {
            super(configuration);
        }

        @Override
        public ConsumerRecords<String, String> poll(Duration timeout) {
            try {
                return super.poll(timeout);
            } catch (KafkaException e) {
                thrown = e;
                throw e;
            }
        }

        /** Does not report errors of a commit that the end of the container interrupts. */
        @Override
        public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
            try {
                super.commitSync(offsets, timeout);
                offsets.forEach((partition, offset) -> reports.committed(partition.partition(), offset.offset()));
            } catch (KafkaException e) {
                thrown = e;
                refused = e;
                if (!(e instanceof WakeupException)) {
                    reports.commitError(e);
                }
                throw e;
            }
        }
    }
}
