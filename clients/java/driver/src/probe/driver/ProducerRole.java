package probe.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import probe.driver.v1.Start;

/** Writes to each partition, one record an interval, and never waits for one. */
final class ProducerRole extends Instance {
    private KafkaProducer<String, String> producer;

    ProducerRole(Start start, Report report, Map<String, Object> configuration) {
        super(start, report, configuration);
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
        playOn(start.getPartitionsList().stream().map(Lane::new)
                .<Runnable>map(lane -> new Beat(this, lane.partition, beat -> lane.send())).toList());
    }

    @Override
    void close(Duration timeout) {
        Bridge.close(producer, timeout);
    }

    /** The operations of one partition. */
    private final class Lane {
        private final int partition;
        private final AtomicInteger inFlight = new AtomicInteger();
        private long sequence;

        Lane(int partition) {
            this.partition = partition;
        }

        void send() {
            if (inFlight.get() >= start.getMaxInFlight()) {
                return;
            }
            long number = sequence++;
            long clock = Report.clock();
            String value = Values.of(name(), partition, number, clock);
            inFlight.incrementAndGet();
            report.sent(partition, number, clock, "");
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
                // What send() throws it has not told the callback (KafkaProducer.doSend). Once closed it only throws.
                if (!stopping()) {
                    failed(number, e);
                }
            }
        }

        private void ended(long number, long offset) {
            inFlight.decrementAndGet();
            report.acked(partition, number, offset);
        }

        private void failed(long number, Exception error) {
            inFlight.decrementAndGet();
            report.sendError(partition, number, error);
        }
    }
}
