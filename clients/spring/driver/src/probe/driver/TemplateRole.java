package probe.driver;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import probe.driver.v1.Start;

/** Writes the records of the workload with a KafkaTemplate. */
final class TemplateRole extends ProducerRole {
    private final Factory factory;
    private final KafkaTemplate<String, String> template;

    TemplateRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
        factory = new Factory(configuration, start.getClientId());
        template = new KafkaTemplate<>(factory);
    }

    /** Opens the producer that all threads share, as the first send would. */
    @Override
    void open() {
        factory.createProducer();
        producer = factory.opened;
    }

    @Override
    void send(ProducerRecord<String, String> record, Callback done) {
        try {
            template.send(record).whenComplete((result, error) -> {
                if (error == null) {
                    done.onCompletion(result.getRecordMetadata(), null);
                } else {
                    done.onCompletion(null, cause(error));
                }
            });
        } catch (KafkaException e) {
            done.onCompletion(null, cause(e)); // KafkaTemplate.doSend throws what failed at once
        }
    }

    @Override
    void close(Duration timeout) {
        factory.setPhysicalCloseTimeout((int) Math.max(1, timeout.toSeconds()));
        factory.destroy();
    }

    /** Spring's exceptions wrap those of kafka-clients. */
    private static Exception cause(Throwable error) {
        Throwable cause = error instanceof KafkaException && error.getCause() != null ? error.getCause() : error;
        return cause instanceof Exception thrown ? thrown : new IllegalStateException(cause);
    }

    /** Keeps the client id of the configuration, to which Spring adds a number per producer. */
    private static final class Factory extends DefaultKafkaProducerFactory<String, String> {
        private final String clientId;
        private volatile KafkaProducer<String, String> opened;

        Factory(Map<String, Object> configuration, String clientId) {
            super(configuration);
            this.clientId = clientId;
        }

        @Override
        protected Producer<String, String> createRawProducer(Map<String, Object> given) {
            Map<String, Object> named = new HashMap<>(given);
            named.put("client.id", clientId);
            opened = new KafkaProducer<>(named);
            return opened;
        }
    }
}
