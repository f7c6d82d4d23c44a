package probe.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import probe.driver.v1.Event;
import probe.driver.v1.Kind;

/** The events of one instance: one method per event of driver.proto; events after the last one are dropped. */
final class Reports {
    private final String instance;
    private final Outbox outbox;
    private boolean ended;
    /** Notices of an instance that is being constructed; READY is its first event. */
    private List<Event> early = new ArrayList<>();

    Reports(String instance, Outbox outbox) {
        this.instance = instance;
        this.outbox = outbox;
    }

    /** The driver's monotonic clock, in microseconds. */
    static long clock() {
        return System.nanoTime() / 1000;
    }

    void ready(Map<String, String> settings) {
        begin(event(Kind.READY).putAllSettings(settings).build());
    }

    /** {@code clock} was read before the call of the library. */
    void sent(int partition, long sequence, long clock, String query) {
        add(event(Kind.SENT).setPartition(partition).setSequence(sequence).setClockUs(clock).setText(query));
    }

    void acked(int partition, long sequence, long offset) {
        add(event(Kind.ACKED).setPartition(partition).setSequence(sequence).setOffset(offset));
    }

    void sendError(int partition, long sequence, Throwable error) {
        add(event(Kind.SEND_ERROR).setPartition(partition).setSequence(sequence).setError(Failure.of(error)));
    }

    void received(int partition, long offset, String value) {
        add(event(Kind.RECEIVED).setPartition(partition).setOffset(offset).setValue(value));
    }

    void receiveError(Throwable error) {
        add(event(Kind.RECEIVE_ERROR).setError(Failure.of(error)));
    }

    void assigned(Iterable<Integer> partitions) {
        add(event(Kind.ASSIGNED).addAllPartitions(partitions));
    }

    void revoked(Iterable<Integer> partitions) {
        add(event(Kind.REVOKED).addAllPartitions(partitions));
    }

    void committed(int partition, long offset) {
        add(event(Kind.COMMITTED).setPartition(partition).setOffset(offset));
    }

    void commitError(Throwable error) {
        add(event(Kind.COMMIT_ERROR).setError(Failure.of(error)));
    }

    /** A record of a share group that was not accepted. */
    void commitError(int partition, long offset, Throwable error) {
        add(event(Kind.COMMIT_ERROR).setPartition(partition).setOffset(offset).setError(Failure.of(error)));
    }

    /** A TXN event without an error. */
    void transaction(Kind kind, long sequence) {
        add(event(kind).setSequence(sequence));
    }

    void transactionError(long sequence, Throwable error) {
        add(event(Kind.TXN_ERROR).setSequence(sequence).setError(Failure.of(error)));
    }

    void listed(int partition, long sequence, long offset, String query) {
        add(event(Kind.LISTED).setPartition(partition).setSequence(sequence).setOffset(offset).setText(query));
    }

    void listError(int partition, long sequence, Throwable error, String query) {
        add(event(Kind.LIST_ERROR).setPartition(partition).setSequence(sequence).setError(Failure.of(error))
                .setText(query));
    }

    void notice(String text) {
        addNotice(event(Kind.NOTICE).setText(text).build());
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

    private synchronized void begin(Event ready) {
        outbox.add(ready);
        early.forEach(outbox::add);
        early = null;
    }

    private synchronized void addNotice(Event notice) {
        if (early != null) {
            early.add(notice);
        } else if (!ended) {
            outbox.add(notice);
        }
    }

    private synchronized void add(Event.Builder event) {
        if (!ended) {
            outbox.add(event.build());
        }
    }

    /** Returns whether this was the last event; an instance ends once. */
    private synchronized boolean end(Event.Builder event) {
        if (ended) {
            return false;
        }
        ended = true;
        if (early != null) {
            early.forEach(outbox::add);
        }
        outbox.add(event.build());
        return true;
    }
}
