package probe.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import probe.driver.v1.Pace;
import probe.driver.v1.Start;
import probe.driver.v1.Stop;

/** The instances of this process. */
final class Instances {
    private final Map<String, Instance> running = new ConcurrentHashMap<>();
    private final Library library;
    private Outbox outbox;

    Instances(Library library) {
        this.library = library;
    }

    void reportTo(Link link) {
        outbox = new Outbox(link);
        Driver.thread("outbox", outbox);
    }

    /** Never blocks: the library is constructed on a thread of the instance's own. */
    void start(Start start) {
        Report report = new Report(start.getInstance(), outbox);
        try {
            Instance instance = Roles.create(start, report, library);
            running.put(start.getInstance(), instance);
            Driver.thread(start.getInstance(), () -> run(instance));
        } catch (UnsupportedException e) {
            report.unsupported(e.getMessage());
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

    private void run(Instance instance) {
        try {
            instance.run();
        } finally {
            running.remove(instance.name(), instance);
        }
    }

    /**
     * Passes a line of the log on to the instance whose client id it names. A line that names none (0.11 never
     * does) goes on only if there is no doubt whose it is.
     */
    void log(String line) {
        if (line.contains("clientId=")) {
            running.values().stream().filter(item -> item.isNamedIn(line)).forEach(item -> item.notice(line));
        } else if (running.size() == 1) {
            running.values().forEach(item -> item.notice(line));
        }
    }
}
