package probe.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Temporary folders. The process ends without the hooks that would remove them, so it removes what is left itself. */
final class Folders {
    private static final Set<Path> MADE = ConcurrentHashMap.newKeySet();

    private Folders() {}

    static Path temporary(String prefix) {
        try {
            Path folder = Files.createTempDirectory(prefix);
            MADE.add(folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("no temporary folder", e);
        }
    }

    /** Removes a folder with all that it holds; what cannot be removed stays. */
    static void remove(Path folder) {
        MADE.remove(folder);
        try (Stream<Path> every = Files.walk(folder)) {
            every.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException | UncheckedIOException gone) {
            // there is nothing to remove
        }
    }

    /** Ends the process at once. */
    static void halt() {
        MADE.forEach(Folders::remove);
        Runtime.getRuntime().halt(0);
    }
}
