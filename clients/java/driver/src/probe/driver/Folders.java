package probe.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Temporary folders. */
final class Folders {
    private Folders() {}

    /** Removes a folder with all that it holds; what cannot be removed stays. */
    static void remove(Path folder) {
        try (Stream<Path> every = Files.walk(folder)) {
            every.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException gone) {
            // there is nothing to remove
        }
    }
}
