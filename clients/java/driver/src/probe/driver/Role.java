package probe.driver;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import probe.driver.v1.Start;

/** What an instance can be, and what plays it. */
enum Role {
    PRODUCER(ProducerConfig.configNames()) {
        @Override
        Instance create(Start start, Report report, Map<String, Object> configuration) {
            return new ProducerRole(start, report, configuration);
        }
    },
    CONSUMER(ConsumerConfig.configNames()) {
        @Override
        Instance create(Start start, Report report, Map<String, Object> configuration) {
            return new ConsumerRole(start, report, configuration);
        }
    },
    GROUP(ConsumerConfig.configNames()) {
        @Override
        Instance create(Start start, Report report, Map<String, Object> configuration) {
            return new GroupRole(start, report, configuration);
        }
    },
    TRANSACTIONAL(ProducerConfig.configNames()) {
        @Override
        Instance create(Start start, Report report, Map<String, Object> configuration) {
            return new TransactionalRole(start, report, configuration);
        }
    },
    ADMIN(AdminClientConfig.configNames()) {
        @Override
        Instance create(Start start, Report report, Map<String, Object> configuration) {
            return new AdminRole(start, report, configuration);
        }
    };

    private final Set<String> properties;

    Role(Set<String> properties) {
        this.properties = properties;
    }

    abstract Instance create(Start start, Report report, Map<String, Object> configuration);

    static Optional<Role> named(String word) {
        return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
    }

    /** The role's name in driver.proto. */
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Says whether this version of the library has a property. */
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
