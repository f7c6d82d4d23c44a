package probe.driver;

import java.io.IOException;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;

/** A driver process with instances of one version of Kafka Streams. */
public final class StreamsDriver {
    private StreamsDriver() {}

    public static void main(String[] args) {
        loadStore();
        Driver.run(args, new KafkaStreamsApplication(Library.onClassPath()));
    }

    /** Loads RocksDB from a file that is removed at once: the process ends without the hooks that would remove it. */
    private static void loadStore() {
        try {
            Path folder = Folders.temporary("rocksdb-");
            NativeLibraryLoader.getInstance().loadLibrary(folder.toString());
            Folders.remove(folder);
        } catch (IOException e) {
            throw new IllegalStateException("RocksDB cannot be loaded", e);
        }
    }
}
