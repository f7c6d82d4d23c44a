package probe.driver;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Warnings and errors of the library's log become notices of the instance they name; nothing else is logged. */
final class Notices extends Handler {
    /** Held: the logging framework keeps its loggers by weak reference only. */
    private static final Logger ROOT = Logger.getLogger("");

    private final Instances instances;

    private Notices(Instances instances) {
        this.instances = instances;
    }

    static void collect(Instances instances) {
        LogManager.getLogManager().reset();
        ROOT.setLevel(Level.WARNING);
        ROOT.addHandler(new Notices(instances));
    }

    @Override
    public void publish(LogRecord line) {
        if (line.getLoggerName() != null && line.getLoggerName().startsWith("org.apache.kafka")) {
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
