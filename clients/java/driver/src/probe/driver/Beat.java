package probe.driver;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * One operation each interval for one partition, on a thread of its own: {@code send} may block for
 * {@code max.block.ms}, and a blocked partition must not stall the other. Missed beats are skipped, not made up for.
 */
final class Beat implements Runnable {
    private final Instance instance;
    private final int partition;
    private final LongConsumer operation;

    /** {@code operation} takes the number of the beat, which counts only those that happened. */
    Beat(Instance instance, int partition, LongConsumer operation) {
        this.instance = instance;
        this.partition = partition;
        this.operation = operation;
    }

    @Override
    public void run() {
        long due = System.nanoTime();
        try {
            for (long beat = 0; instance.pause(untilMs(due)); beat++) {
                operation.accept(beat);
                long interval = TimeUnit.MILLISECONDS.toNanos(instance.intervalMs(partition));
                long late = System.nanoTime() - due;
                due += interval * (1 + Math.max(0, late) / interval);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long untilMs(long due) {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime()));
    }
}
