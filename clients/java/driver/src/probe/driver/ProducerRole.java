package probe.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import probe.driver.v1.Start;

/** Writes to every partition, one record per interval, without waiting for results. */
final class ProducerRole extends Instance {
    private KafkaProducer<String, String> producer;

    ProducerRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
    }

    @Override
    void open() {
        producer = new KafkaProducer<>(configuration);
    }

    @Override
    Map<String, String> settings() {
        return Settings.ofProducer(producer, configuration);
    }

    @Override
    void play() throws InterruptedException {
        playOn(start.getPartitionsList().stream().map(PartitionWorkload::new)
                .<Runnable>map(item -> new Ticker(this, item.partition, tick -> item.send())).toList());
    }

    @Override
    void close(Duration timeout) {
        CompatibleCalls.close(producer, timeout);
    }

    /** The operations of one partition. */
    private final class PartitionWorkload {
        private final int partition;
        private final AtomicInteger inFlight = new AtomicInteger();
        private long sequence;

        PartitionWorkload(int partition) {
            this.partition = partition;
        }

        void send() {
            if (inFlight.get() >= start.getMaxInFlight()) {
                return;
            }
            long number = sequence++;
            long clock = Reports.clock();
            String value = Values.of(name(), partition, number, clock);
            inFlight.incrementAndGet();
            reports.sent(partition, number, clock, "");
            ProducerRecord<String, String> record = new ProducerRecord<>(start.getTopic(), partition, null, value);
            try {
                producer.send(record, guarded((metadata, error) -> {
                    if (error == null) {
                        ended(number, metadata.offset());
                    } else {
                        failed(number, error);
                    }
                }));
            } catch (KafkaException | IllegalStateException e) {
                // send() does not pass its exceptions to the callback (KafkaProducer.doSend). After close it always throws.
                if (!stopping()) {
                    failed(number, e);
                }
            }
        }

        private void ended(long number, long offset) {
            inFlight.decrementAndGet();
            reports.acked(partition, number, offset);
        }

        private void failed(long number, Exception error) {
            inFlight.decrementAndGet();
            reports.sendError(partition, number, error);
        }
    }
}
