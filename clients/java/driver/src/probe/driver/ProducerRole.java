package probe.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import probe.driver.v1.Start;

/** Writes the records of the workload, without waiting for results. */
class ProducerRole extends Instance {
    KafkaProducer<String, String> producer;

    ProducerRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
    }

    @Override
    void open() {
        producer = new KafkaProducer<>(configuration);
    }

    @Override
    final Map<String, String> settings() {
        return Settings.ofProducer(producer, configuration);
    }

    /** Hands a record over; {@code done} gets its outcome. Throws what the library throws for it at once. */
    void send(ProducerRecord<String, String> record, Callback done) {
        producer.send(record, done);
    }

    @Override
    final void play() throws InterruptedException {
        playOn(SharedTicker.of(this, Series.of(start).stream().map(SeriesWorkload::new)
                .map(item -> new Ticker(this, item.series.partition(), tick -> item.send())).toList()));
    }

    @Override
    void close(Duration timeout) {
        CompatibleCalls.close(producer, timeout);
    }

    /** The operations of one partition, or of one key. */
    private final class SeriesWorkload {
        private final Series series;
        private final AtomicInteger inFlight = new AtomicInteger();
        private long next;

        SeriesWorkload(Series series) {
            this.series = series;
            next = series.first();
        }

        /** Sends a burst, as a whole or not at all. */
        void send() {
            int limit = Math.max(start.getMaxInFlight(), series.batch());
            if (inFlight.get() + series.batch() > limit) {
                return;
            }
            for (int begun = 0; begun < series.batch(); begun++) {
                long number = next;
                next += series.step();
                send(number);
            }
        }

        private void send(long number) {
            int partition = series.partition();
            long clock = Reports.clock();
            String value = Values.of(name(), partition, number, clock);
            inFlight.incrementAndGet();
            reports.sent(partition, number, clock, "");
            try {
                ProducerRole.this.send(Series.toRecord(start, partition, number, value), guarded((metadata, error) -> {
                    if (error == null) {
                        ended(metadata.partition(), number, metadata.offset());
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

        private void ended(int partition, long number, long offset) {
            inFlight.decrementAndGet();
            reports.acked(partition, number, offset);
        }

        private void failed(long number, Exception error) {
            inFlight.decrementAndGet();
            reports.sendError(series.partition(), number, error);
        }
    }
}
