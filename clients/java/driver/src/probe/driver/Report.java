package probe.driver;

import java.util.Map;
import probe.driver.v1.Event;
import probe.driver.v1.Kind;

/** What one instance tells: one method per event of driver.proto, and nothing after the last one. */
final class Report {
    private final String instance;
    private final Outbox outbox;
    private boolean ended;

    Report(String instance, Outbox outbox) {
        this.instance = instance;
        this.outbox = outbox;
    }

    /** The driver's monotonic clock, in microseconds. */
    static long clock() {
        return System.nanoTime() / 1000;
    }

    void ready(Map<String, String> settings) {
        tell(event(Kind.READY).putAllSettings(settings));
    }

    /** {@code clock} was taken before the library call. */
    void sent(int partition, long sequence, long clock, String question) {
        tell(event(Kind.SENT).setPartition(partition).setSequence(sequence).setClockUs(clock).setText(question));
    }

    void acked(int partition, long sequence, long offset) {
        tell(event(Kind.ACKED).setPartition(partition).setSequence(sequence).setOffset(offset));
    }

    void sendError(int partition, long sequence, Throwable error) {
        tell(event(Kind.SEND_ERROR).setPartition(partition).setSequence(sequence).setError(Failure.of(error)));
    }

    void received(int partition, long offset, String value) {
        tell(event(Kind.RECEIVED).setPartition(partition).setOffset(offset).setValue(value));
    }

    void receiveError(Throwable error) {
        tell(event(Kind.RECEIVE_ERROR).setError(Failure.of(error)));
    }

    void assigned(Iterable<Integer> partitions) {
        tell(event(Kind.ASSIGNED).addAllPartitions(partitions));
    }

    void revoked(Iterable<Integer> partitions) {
        tell(event(Kind.REVOKED).addAllPartitions(partitions));
    }

    void committed(int partition, long offset) {
        tell(event(Kind.COMMITTED).setPartition(partition).setOffset(offset));
    }

    void commitError(Throwable error) {
        tell(event(Kind.COMMIT_ERROR).setError(Failure.of(error)));
    }

    /** One of the TXN kinds without an error. */
    void transaction(Kind kind, long sequence) {
        tell(event(kind).setSequence(sequence));
    }

    void transactionError(long sequence, Throwable error) {
        tell(event(Kind.TXN_ERROR).setSequence(sequence).setError(Failure.of(error)));
    }

    void listed(int partition, long sequence, long offset, String question) {
        tell(event(Kind.LISTED).setPartition(partition).setSequence(sequence).setOffset(offset).setText(question));
    }

    void listError(int partition, long sequence, Throwable error, String question) {
        tell(event(Kind.LIST_ERROR).setPartition(partition).setSequence(sequence).setError(Failure.of(error))
                .setText(question));
    }

    void notice(String text) {
        tell(event(Kind.NOTICE).setText(text));
    }

    boolean unsupported(String reason) {
        return end(event(Kind.UNSUPPORTED).setText(reason));
    }

    boolean fatal(Throwable error) {
        return end(event(Kind.FATAL).setError(Failure.of(error)).setText(Failure.shorten(error.toString())));
    }

    boolean fatal(String text) {
        return end(event(Kind.FATAL).setText(text));
    }

    boolean closed() {
        return end(event(Kind.CLOSED));
    }

    private Event.Builder event(Kind kind) {
        return Event.newBuilder().setInstance(instance).setClockUs(clock()).setKind(kind)
                .setPartition(-1).setSequence(-1).setOffset(-1);
    }

    private synchronized void tell(Event.Builder event) {
        if (!ended) {
            outbox.add(event.build());
        }
    }

    /** Returns whether this was the end; an instance ends once. */
    private synchronized boolean end(Event.Builder event) {
        if (ended) {
            return false;
        }
        ended = true;
        outbox.add(event.build());
        return true;
    }
}
