package probe.driver;

import java.util.List;
import org.springframework.kafka.core.KafkaTemplate;
import probe.driver.v1.Start;

/** spring-kafka with the kafka-clients of its own release inside. */
record SpringKafka(Library library) implements HostApplication {
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
    public List<Role> driven() {
        return List.of(Role.PRODUCER, Role.GROUP);
    }

    @Override
    public Instance create(Start start, Reports reports) {
        Role role = role(start);
        return role == Role.PRODUCER
                ? new TemplateRole(start, reports, Roles.configuration(start, role, library))
                : new ContainerRole(start, reports, Roles.configuration(start, role, library));
    }
}
