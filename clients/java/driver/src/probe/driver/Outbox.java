package probe.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import probe.driver.v1.Event;

/** Gathers events of all instances and sends them on, 256 at a time, 20 ms late at most. */
final class Outbox implements Runnable {
    private static final int BATCH = 256;
    /** Below the contract's 20 ms by what a wake-up and the sending take on a busy machine. */
    private static final int GATHER_MS = 15;

    private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
    private final Link link;

    Outbox(Link link) {
        this.link = link;
    }

    void add(Event event) {
        queue.add(event);
    }

    @Override
    public void run() {
        List<Event> batch = new ArrayList<>(BATCH);
        try {
            while (true) {
                batch.add(queue.take());
                if (queue.size() < BATCH - 1) {
                    Thread.sleep(GATHER_MS);
                }
                queue.drainTo(batch, BATCH - 1);
                link.events(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
