package probe.driver;

import java.util.List;
import probe.driver.v1.Start;

/** What a driver process drives: a library, or an application with a library inside, in one version. */
interface Application {
    /** The family's name in client.toml. */
    String family();

    String version();

    List<String> roles();

    List<String> profiles();

    /** Throws UnsupportedException. */
    Instance create(Start start, Reports reports);
}
