package probe.driver;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/**
 * A driver process: one stream to the orchestrator, several clients of one version of kafka-clients.
 *
 * <p>Started as {@code java -cp ... probe.driver.Driver --connect HOST:PORT --token T}; driver.proto is the contract.
 * The process ends with the stream or with its standard input.
 */
public final class Driver {
    private Driver() {}

    public static void main(String[] args) {
        run(args, new KafkaClients(Library.onClassPath()));
    }

    /** The whole of a driver process. */
    static void run(String[] args, Application application) {
        Map<String, String> options = options(args);
        if (options == null) {
            System.err.println("usage: Driver --connect HOST:PORT --token T");
            Runtime.getRuntime().halt(2);
            return;
        }
        Instances instances = new Instances(application);
        LogNotices.collect(instances);
        Session session = Session.dial(options.get("--connect"), instances);
        instances.reportTo(session);
        session.hello(options.get("--token"), application);
        haltAtEndOfInput();
    }

    /** Starts a daemon thread. */
    static void thread(String name, Runnable body) {
        daemon(name, body).start();
    }

    static Thread daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> found = new HashMap<>();
        for (int i = 0; i + 1 < args.length; i += 2) {
            found.put(args[i], args[i + 1]);
        }
        return found.containsKey("--connect") && found.containsKey("--token") ? found : null;
    }

    /** The orchestrator holds the other end of standard input: the process ends with it. */
    private static void haltAtEndOfInput() {
        InputStream input = System.in;
        try {
            while (input.read() >= 0) {
                // there is no input
            }
        } catch (IOException gone) {
            // the same as the end
        }
        Folders.halt();
    }
}
