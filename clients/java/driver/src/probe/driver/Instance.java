package probe.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import probe.driver.v1.Start;

/** One client under test, from its construction to its last event. */
abstract class Instance {
    /** Log lines of the library that are reported per second. */
    private static final int NOTICES_PER_SECOND = 5;
    private static final long AFTER_ERROR_MS = 100;
    static final int ALL_PARTITIONS = -1;
    /** Share of the orchestrator's deadline for the library's close. */
    private static final double CLOSE_SHARE = 0.8;
    /** Share of the deadline for the threads that use the library. */
    private static final double SETTLE_SHARE = 0.1;

    final Start start;
    final Reports reports;
    final Map<String, Object> configuration;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile int deadlineMs;
    private volatile int intervalMs;
    private final AtomicInteger handlerMs = new AtomicInteger();
    private long noticeSecond;
    private int notices;

    Instance(Start start, Reports reports, Map<String, Object> configuration) {
        this.start = start;
        pace(start.getIntervalMs());
        this.reports = reports;
        this.configuration = configuration;
    }

    /** Constructs the library's client. */
    abstract void open();

    /** Returns the effective settings under the names of driver.proto. */
    abstract Map<String, String> settings();

    /** Works until {@link #stopping()}; throws {@link KafkaException} when the client has become unusable. */
    abstract void play() throws InterruptedException;

    /** Makes a blocked {@link #play()} return. */
    void wake() {}

    abstract void close(Duration timeout);

    final String name() {
        return start.getInstance();
    }

    /** Sets the interval between operations. */
    final void pace(int intervalMs) {
        this.intervalMs = Math.max(1, intervalMs);
    }

    /** Lets the application handle the next record, or keep its transaction open, for some time. */
    final void handleFor(int handlerMs) {
        this.handlerMs.set(handlerMs);
    }

    /** Takes the time that the application needs for a record that it was given, or before it commits. */
    final void handled() {
        int ms = handlerMs.getAndSet(0);
        if (ms > 0) {
            pauseFor(ms);
        }
    }

    /** The interval of one partition; {@link #ALL_PARTITIONS} = one operation concerns all of them. */
    final int intervalMs(int partition) {
        return partition == start.getBystander() ? Math.max(intervalMs, start.getBystanderMs()) : intervalMs;
    }

    final boolean stopping() {
        return stop.getCount() == 0;
    }

    /** Waits; returns whether to continue. */
    final boolean pause(long ms) throws InterruptedException {
        return !stop.await(ms, TimeUnit.MILLISECONDS);
    }

    /**
     * An exception of the driver's own callback would end the library's thread in some versions and look like its
     * error.
     */
    final Callback guarded(Callback callback) {
        return (metadata, error) -> {
            try {
                callback.onCompletion(metadata, error);
            } catch (RuntimeException | LinkageError e) {
                e.printStackTrace();
                fail(new IllegalStateException("the driver itself failed in a callback", e));
            }
        };
    }

    /** Pauses like an application after an error without any wait. */
    final void pauseAfterError() {
        pauseFor(AFTER_ERROR_MS);
    }

    private void pauseFor(long ms) {
        try {
            pause(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Runs the work on threads of its own until the instance is to stop. Then waits for them for a short time, as an
     * application stops its own threads before it closes the client; calls that still block are left to close.
     */
    final void playOn(List<? extends Runnable> work) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (Runnable item : work) {
            Thread thread = Driver.daemon(name() + "-" + threads.size(), item);
            threads.add(thread);
            thread.start();
        }
        stop.await();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos((long) (deadlineMs * SETTLE_SHARE));
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
        }
    }

    final void run() {
        try {
            if (opened()) {
                played();
                close(Duration.ofMillis((long) (deadlineMs * CLOSE_SHARE)));
                reports.closed();
            }
        } catch (RuntimeException | LinkageError e) {
            reports.fatal(e);
        } finally {
            ended.countDown();
        }
    }

    private void played() {
        try {
            play();
        } catch (InterruptedException | RuntimeException | LinkageError e) {
            reports.fatal(e);
        }
    }

    /** Reports that the client has become unusable, and closes it. */
    final void fail(Throwable error) {
        reports.fatal(error);
        stop.countDown();
    }

    private boolean opened() {
        try {
            open();
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (e instanceof ConfigException || cause instanceof ConfigException) {
                reports.unsupported("the library rejects this configuration: " + cause.getMessage());
            } else {
                reports.fatal(e);
            }
            return false;
        }
        reports.ready(settings());
        return true;
    }

    /** Closes as an application does; reports a close that does not return in time. */
    final void stop(int withinMs) {
        deadlineMs = withinMs;
        stop.countDown();
        wake();
        try {
            if (!ended.await(withinMs, TimeUnit.MILLISECONDS)) {
                reports.fatal("close did not return in " + withinMs + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    final boolean isNamedIn(String line) {
        return line.contains("clientId=" + start.getClientId() + ",")
                || line.contains("clientId=" + start.getClientId() + "]");
    }

    final synchronized void notice(String line) {
        long second = System.nanoTime() / 1_000_000_000L;
        if (second != noticeSecond) {
            noticeSecond = second;
            notices = 0;
        }
        if (notices++ < NOTICES_PER_SECOND) {
            reports.notice(Failure.shorten(line));
        }
    }
}
