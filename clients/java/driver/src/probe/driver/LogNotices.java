package probe.driver;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Passes warnings and errors of the library's log to the instance that they name; nothing else is logged. */
final class LogNotices extends Handler {
    /** Kept: the logging framework has weak references to its loggers only. */
    private static final Logger ROOT = Logger.getLogger("");

    /** Libraries and applications whose lines are reported. */
    private static final List<String> SOURCES = List.of("org.apache.kafka", "org.springframework.kafka");

    private final Instances instances;

    private LogNotices(Instances instances) {
        this.instances = instances;
    }

    static void collect(Instances instances) {
        LogManager.getLogManager().reset();
        ROOT.setLevel(Level.WARNING);
        ROOT.addHandler(new LogNotices(instances));
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLoggerName() != null && SOURCES.stream().anyMatch(line.getLoggerName()::startsWith)) {
            Throwable thrown = line.getThrown();
            String level = line.getLevel() == Level.SEVERE ? "ERROR" : "WARN";
            instances.log(level + " " + line.getMessage() + (thrown == null ? "" : ": " + thrown));
        } else {
            System.err.println(line.getLevel() + " " + line.getLoggerName() + " " + line.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
