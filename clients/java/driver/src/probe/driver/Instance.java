package probe.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import probe.driver.v1.Start;

/** One client under test, from construction to its one last event. */
abstract class Instance {
    /** Lines of the library's log passed on per second: enough to read, too few to weigh. */
    private static final int NOTICES_PER_SECOND = 5;
    private static final long AFTER_ERROR_MS = 100;
    static final int ALL_PARTITIONS = -1;
    /** Part of the orchestrator's deadline that the library gets for its close. */
    private static final double CLOSE_SHARE = 0.8;
    /** And part of it for the threads that use the library. */
    private static final double SETTLE_SHARE = 0.1;

    final Start start;
    final Report report;
    final Map<String, Object> configuration;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile int deadlineMs;
    private volatile int intervalMs;
    private long noticeSecond;
    private int notices;

    Instance(Start start, Report report, Map<String, Object> configuration) {
        this.start = start;
        pace(start.getIntervalMs());
        this.report = report;
        this.configuration = configuration;
    }

    /** Constructs the library's object. */
    abstract void open();

    /** Returns the effective settings under the names of driver.proto. */
    abstract Map<String, String> settings();

    /** Works until {@link #stopping()}; may throw {@link KafkaException} when the client has become unusable. */
    abstract void play() throws InterruptedException;

    /** Makes a blocked {@link #play()} return. */
    void wake() {}

    abstract void close(Duration timeout);

    final String name() {
        return start.getInstance();
    }

    /** From now on an operation begins each so many milliseconds. */
    final void pace(int intervalMs) {
        this.intervalMs = Math.max(1, intervalMs);
    }

    /** How often one partition is worked on; {@link #ALL_PARTITIONS} = they are worked on together. */
    final int intervalMs(int partition) {
        return partition == start.getBystander() ? Math.max(intervalMs, start.getBystanderMs()) : intervalMs;
    }

    final boolean stopping() {
        return stop.getCount() == 0;
    }

    /** Waits; returns whether to go on. */
    final boolean pause(long ms) throws InterruptedException {
        return !stop.await(ms, TimeUnit.MILLISECONDS);
    }

    /** A callback of ours that fails would kill the library's own thread in some versions, and look like its fault. */
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

    /** Where the library fails without any wait, an application would not try again at once. */
    final void pauseAfterError() {
        try {
            pause(AFTER_ERROR_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Does the work on threads of their own until the instance is to stop. Then waits for them a little, as an
     * application stops its own threads before it closes the client; what is blocked in the library is left to close.
     */
    final void playOn(List<Runnable> work) throws InterruptedException {
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
                report.closed();
            }
        } catch (RuntimeException | LinkageError e) {
            report.fatal(e);
        } finally {
            ended.countDown();
        }
    }

    private void played() {
        try {
            play();
        } catch (InterruptedException | RuntimeException | LinkageError e) {
            report.fatal(e);
        }
    }

    /** The client has become unusable: says so and closes it. */
    final void fail(Throwable error) {
        report.fatal(error);
        stop.countDown();
    }

    private boolean opened() {
        try {
            open();
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (e instanceof ConfigException || cause instanceof ConfigException) {
                report.unsupported("the library refuses this configuration: " + cause.getMessage());
            } else {
                report.fatal(e);
            }
            return false;
        }
        report.ready(settings());
        return true;
    }

    /** Closes as an application would; says so if that does not happen in time. */
    final void stop(int withinMs) {
        deadlineMs = withinMs;
        stop.countDown();
        wake();
        try {
            if (!ended.await(withinMs, TimeUnit.MILLISECONDS)) {
                report.fatal("close did not return in " + withinMs + " ms");
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
            report.notice(Failure.shorten(line));
        }
    }
}
