package probe.driver;

import java.util.List;
import java.util.PriorityQueue;

/**
 * The tickers of many partitions on one thread, as an application with one thread has it: a call that blocks delays
 * them all. Sweeps of cost have hundreds of partitions in an instance; a thread for each would be too many.
 */
final class SharedTicker implements Runnable {
    /** Most tickers of an instance that have a thread each. */
    private static final int OWN_THREADS = 16;

    private final Instance instance;
    private final List<Ticker> tickers;

    private SharedTicker(Instance instance, List<Ticker> tickers) {
        this.instance = instance;
        this.tickers = tickers;
    }

    /** Returns the work of these tickers: a thread each, or one for all. */
    static List<? extends Runnable> of(Instance instance, List<Ticker> tickers) {
        return tickers.size() > OWN_THREADS ? List.of(new SharedTicker(instance, tickers)) : tickers;
    }

    @Override
    public void run() {
        PriorityQueue<Ticker> queue = new PriorityQueue<>(Ticker::byDue);
        queue.addAll(tickers);
        try {
            while (instance.pause(queue.element().untilMs())) {
                Ticker next = queue.remove();
                next.operate();
                queue.add(next);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
