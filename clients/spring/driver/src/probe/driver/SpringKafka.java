package probe.driver;

import java.util.List;
import org.springframework.kafka.core.KafkaTemplate;
import probe.driver.v1.Start;

/** spring-kafka with the kafka-clients of its own release inside. */
record SpringKafka(Library library) implements Application {
    private static final List<Role> ROLES = List.of(Role.PRODUCER, Role.GROUP);

    @Override
    public String family() {
        return "spring";
    }

    /** As the jar states it. */
    @Override
    public String version() {
        return KafkaTemplate.class.getPackage().getImplementationVersion();
    }

    @Override
    public List<String> roles() {
        return ROLES.stream().map(Role::word).toList();
    }

    @Override
    public List<String> profiles() {
        return Profiles.ofApplications(library);
    }

    @Override
    public Instance create(Start start, Reports reports) {
        Role role = Roles.of(start, library);
        if (!ROLES.contains(role)) {
            throw new UnsupportedException("spring-kafka is not driven in the role " + role.word());
        }
        return role == Role.PRODUCER
                ? new TemplateRole(start, reports, Roles.configuration(start, role, library))
                : new ContainerRole(start, reports, Roles.configuration(start, role, library));
    }
}
