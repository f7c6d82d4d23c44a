package probe.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import probe.driver.v1.Handle;
import probe.driver.v1.Pace;
import probe.driver.v1.Start;
import probe.driver.v1.Stop;

/** The instances of this process. */
final class Instances {
    private final Map<String, Instance> running = new ConcurrentHashMap<>();
    private final Application application;
    private Outbox outbox;

    Instances(Application application) {
        this.application = application;
    }

    void reportTo(Session session) {
        outbox = new Outbox(session);
        Driver.thread("outbox", outbox);
    }

    /** Never blocks: the library is constructed on the instance's own thread. */
    void start(Start start) {
        Reports reports = new Reports(start.getInstance(), outbox);
        try {
            Instance instance = application.create(start, reports);
            running.put(start.getInstance(), instance);
            Driver.thread(start.getInstance(), () -> run(instance));
        } catch (UnsupportedException e) {
            reports.unsupported(e.getMessage());
        }
    }

    void stop(Stop stop) {
        Instance instance = running.get(stop.getInstance());
        if (instance != null) {
            Driver.thread(stop.getInstance() + "-stop", () -> instance.stop(stop.getDeadlineMs()));
        }
    }

    void pace(Pace pace) {
        Instance instance = running.get(pace.getInstance());
        if (instance != null) {
            instance.pace(pace.getIntervalMs());
        }
    }

    void handle(Handle handle) {
        Instance instance = running.get(handle.getInstance());
        if (instance != null) {
            instance.handleFor(handle.getHandlerMs());
        }
    }

    private void run(Instance instance) {
        try {
            instance.run();
        } finally {
            running.remove(instance.name(), instance);
        }
    }

    /**
     * Passes a log line to the instance whose client id it contains, or to which the thread belongs that wrote it. Any
     * other line without a client id (all lines up to 0.11) is passed on only if there is one instance.
     */
    void log(String line) {
        if (line.contains("clientId=")) {
            running.values().stream().filter(item -> item.isNamedIn(line)).forEach(item -> item.notice(line));
        } else if (running.size() == 1) {
            running.values().forEach(item -> item.notice(line));
        } else {
            String thread = Thread.currentThread().getName();
            running.values().stream().filter(item -> thread.startsWith(item.name() + "-"))
                    .forEach(item -> item.notice(line));
        }
    }
}
