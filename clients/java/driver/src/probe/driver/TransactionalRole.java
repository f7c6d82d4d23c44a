package probe.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import probe.driver.v1.Kind;
import probe.driver.v1.Start;

/**
 * One transaction an interval, with one record for each partition: the loop of KafkaProducer's documentation. Three
 * exceptions there, and an unsupported version, mean that the producer must be closed; all others that the transaction
 * is aborted. What timed out may be called again. Record n of a partition belongs to transaction n. Where a group is
 * given, each transaction commits an offset of it, as one that consumes, transforms and produces does.
 */
final class TransactionalRole extends Instance {
    private KafkaProducer<String, String> producer;
    private final Offsets offsets;

    TransactionalRole(Start start, Report report, Map<String, Object> configuration) {
        super(start, report, configuration);
        offsets = start.getGroup().isEmpty() ? null : Offsets.of(start.getGroup());
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
        playOn(List.of(this::work));
    }

    @Override
    void close(Duration timeout) {
        Bridge.close(producer, timeout);
    }

    /** Off the instance's own thread: each call may block for {@code max.block.ms}, and only close ends that. */
    private void work() {
        try {
            if (until(-1, producer::initTransactions)) {
                new Beat(this, ALL_PARTITIONS, this::transact).run();
            }
        } catch (KafkaException | IllegalStateException e) {
            if (!stopping()) {
                fail(e);
            }
        }
    }

    private void transact(long number) {
        try {
            producer.beginTransaction();
            report.transaction(Kind.TXN_BEGUN, number);
            start.getPartitionsList().forEach(partition -> send(partition, number));
            if (offsets != null) {
                offsets.send(producer, new TopicPartition(start.getTopic(), start.getPartitions(0)), number);
            }
            if (until(number, producer::commitTransaction)) {
                report.transaction(Kind.TXN_COMMITTED, number);
            }
        } catch (KafkaException e) {
            report.transactionError(number, e);
            if (isFinal(e)) {
                throw e;
            }
            if (until(number, producer::abortTransaction)) {
                report.transaction(Kind.TXN_ABORTED, number);
            }
        }
    }

    private void send(int partition, long number) {
        long clock = Report.clock();
        report.sent(partition, number, clock, "");
        String value = Values.of(name(), partition, number, clock);
        producer.send(new ProducerRecord<>(start.getTopic(), partition, null, value), guarded((metadata, error) -> {
            if (error == null) {
                report.acked(partition, number, metadata.offset());
            } else {
                report.sendError(partition, number, error);
            }
        }));
    }

    /** Calls again what timed out, as the library documents; returns false if the instance is stopping. */
    private boolean until(long number, Runnable call) {
        while (!stopping()) {
            try {
                call.run();
                return true;
            } catch (TimeoutException e) {
                report.transactionError(number, e);
            }
            pauseAfterError();
        }
        return false;
    }

    /** Looks at causes too: "we are in an error state" carries the reason as its cause. */
    private static boolean isFinal(Throwable thrown) {
        for (Throwable link = thrown; link != null; link = link.getCause()) {
            if (link instanceof ProducerFencedException || link instanceof OutOfOrderSequenceException
                    || link instanceof AuthorizationException || link instanceof UnsupportedVersionException) {
                return true;
            }
        }
        return false;
    }
}
