package probe.driver;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import probe.driver.v1.Start;

/** A role of driver.proto, and the instance that plays it. */
enum Role {
    PRODUCER(ProducerConfig.configNames()) {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new ProducerRole(start, reports, configuration);
        }
    },
    CONSUMER(ConsumerConfig.configNames()) {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new ConsumerRole(start, reports, configuration);
        }
    },
    GROUP(ConsumerConfig.configNames()) {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new GroupRole(start, reports, configuration);
        }
    },
    TRANSACTIONAL(ProducerConfig.configNames()) {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new TransactionalRole(start, reports, configuration);
        }
    },
    ADMIN(AdminClientConfig.configNames()) {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new AdminRole(start, reports, configuration);
        }
    };

    private final Set<String> properties;

    Role(Set<String> properties) {
        this.properties = properties;
    }

    abstract Instance create(Start start, Reports reports, Map<String, Object> configuration);

    static Optional<Role> named(String word) {
        return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
    }

    /** The role's name in driver.proto. */
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Returns whether this version of the library has a property. */
    boolean knows(String property) {
        return properties.contains(property);
    }

    boolean writes() {
        return this == PRODUCER || this == TRANSACTIONAL;
    }

    boolean reads() {
        return this == CONSUMER || this == GROUP;
    }

    /** AdminClient.listOffsets came with 2.5 (KIP-396). */
    boolean existsIn(Library library) {
        return this != ADMIN || library.atLeast(2, 5);
    }
}
