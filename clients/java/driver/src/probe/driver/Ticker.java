package probe.driver;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * One operation per interval for one partition, on its own thread ({@link SharedTicker} has many on one): {@code send}
 * may block for {@code max.block.ms}, and a blocked partition must not delay the others. Missed ticks are not repeated.
 */
final class Ticker implements Runnable {
    private final Instance instance;
    private final int partition;
    private final LongConsumer operation;
    /** Interval in ms of an operation of the driver's own; 0 = the instance's. */
    private final int ownMs;
    private long due = System.nanoTime();
    private long tick;

    /** {@code operation} takes the number of the tick; missed ticks do not count. */
    Ticker(Instance instance, int partition, LongConsumer operation) {
        this(instance, partition, operation, 0);
    }

    Ticker(Instance instance, int partition, LongConsumer operation, int ownMs) {
        this.ownMs = ownMs;
        this.instance = instance;
        this.partition = partition;
        this.operation = operation;
    }

    @Override
    public void run() {
        due = System.nanoTime();
        try {
            while (instance.pause(untilMs())) {
                operate();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins the operation that is due. */
    void operate() {
        operation.accept(tick++);
        long interval = TimeUnit.MILLISECONDS.toNanos(ownMs > 0 ? ownMs : instance.intervalMs(partition));
        long late = System.nanoTime() - due;
        due += interval * (1 + Math.max(0, late) / interval);
    }

    /** The time until the next operation is due. */
    long untilMs() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()));
    }

    /** Orders tickers by their next operation. */
    static int byDue(Ticker one, Ticker other) {
        return Long.signum(one.due - other.due);
    }
}
