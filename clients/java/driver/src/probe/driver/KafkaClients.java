package probe.driver;

import java.util.List;
import probe.driver.v1.Start;

/** kafka-clients itself. */
record KafkaClients(Library library) implements Application {
    @Override
    public String family() {
        return "java";
    }

    @Override
    public String version() {
        return library.version();
    }

    @Override
    public List<String> roles() {
        return Roles.names(library);
    }

    @Override
    public List<String> profiles() {
        return Profiles.names(library);
    }

    @Override
    public Instance create(Start start, Reports reports) {
        Role role = Roles.of(start, library);
        return role.create(start, reports, Roles.configuration(start, role, library));
    }
}
