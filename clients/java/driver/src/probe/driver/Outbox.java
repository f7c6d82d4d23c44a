package probe.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import probe.driver.v1.Event;

/** Collects the events of all instances and sends them, at most 256 at once and at most 20 ms late. */
final class Outbox implements Runnable {
    private static final int BATCH = 256;
    /** Below the contract's 20 ms, by the time that a wake-up and the transport take on a busy machine. */
    private static final int GATHER_MS = 15;

    private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
    private final Session session;

    Outbox(Session session) {
        this.session = session;
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
                session.events(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
