package probe.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;

/** The kafka-clients jar on the class path. */
record Library(String version) {
    /**
     * Reads the version that the jar itself states. Not by AppInfoParser: its package changed in 4.4. A locally built
     * jar has the mark that the driver was started with.
     */
    static Library onClassPath() {
        try (InputStream in = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (in == null) {
                throw new IllegalStateException("no kafka/kafka-version.properties on the class path");
            }
            Properties properties = new Properties();
            properties.load(in);
            String mark = System.getProperty("probe.local", "");
            return new Library(properties.getProperty("version") + (mark.isEmpty() ? "" : "+local." + mark));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether the library is of this release line or newer. */
    boolean atLeast(int major, int minor) {
        String[] parts = version.split("[.-]");
        int ownMajor = Integer.parseInt(parts[0]);
        int ownMinor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
        return ownMajor > major || ownMajor == major && ownMinor >= minor;
    }
}
