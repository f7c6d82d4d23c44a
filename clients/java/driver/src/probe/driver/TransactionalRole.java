package probe.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
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
 * One transaction per interval, with the records of its workload: the loop of KafkaProducer's documentation. After three
 * of its exceptions, and after an unsupported version, the producer must be closed; after all others the transaction is
 * aborted. Calls that timed out are repeated. With a group, every transaction commits one of its offsets, as a
 * consume-transform-produce application does.
 */
final class TransactionalRole extends Instance {
    private KafkaProducer<String, String> producer;
    private final TransactionOffsets offsets;

    TransactionalRole(Start start, Reports reports, Map<String, Object> configuration) {
        super(start, reports, configuration);
        offsets = start.getGroup().isEmpty() ? null : TransactionOffsets.of(start.getGroup());
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
        CompatibleCalls.close(producer, timeout);
    }

    /**
     * Runs on another thread than the instance's: every call may block for {@code max.block.ms}, and only close ends
     * that.
     */
    private void work() {
        try {
            if (repeatUntilDone(-1, producer::initTransactions)) {
                new Ticker(this, ALL_PARTITIONS, this::transact).run();
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
            reports.transaction(Kind.TXN_BEGUN, number);
            Series.inTransaction(start, number).forEach(place -> send(place.partition(), place.sequence()));
            if (offsets != null) {
                offsets.send(producer, new TopicPartition(start.getTopic(), start.getPartitions(0)), number);
            }
            handled();
            if (repeatUntilDone(number, producer::commitTransaction)) {
                reports.transaction(Kind.TXN_COMMITTED, number);
            }
        } catch (KafkaException e) {
            reports.transactionError(number, e);
            if (isFinal(e)) {
                throw e;
            }
            if (repeatUntilDone(number, producer::abortTransaction)) {
                reports.transaction(Kind.TXN_ABORTED, number);
            }
        }
    }

    private void send(int partition, long number) {
        long clock = Reports.clock();
        reports.sent(partition, number, clock, "");
        String value = Values.of(name(), partition, number, clock);
        producer.send(Series.toRecord(start, partition, number, value), guarded((metadata, error) -> {
            if (error == null) {
                reports.acked(metadata.partition(), number, metadata.offset());
            } else {
                reports.sendError(partition, number, error);
            }
        }));
    }

    /** Repeats a call that timed out, as the library documents; returns false if the instance is stopping. */
    private boolean repeatUntilDone(long number, Runnable call) {
        while (!stopping()) {
            try {
                call.run();
                return true;
            } catch (TimeoutException e) {
                reports.transactionError(number, e);
            }
            pauseAfterError();
        }
        return false;
    }

    /** Includes causes: "we are in an error state" has the reason as its cause. */
    private static boolean isFinal(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof ProducerFencedException || cause instanceof OutOfOrderSequenceException
                    || cause instanceof AuthorizationException || cause instanceof UnsupportedVersionException) {
                return true;
            }
        }
        return false;
    }
}
