package probe.driver;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import probe.driver.v1.Start;

/** A role of driver.proto, and the instance that plays it. */
enum Role {
    PRODUCER("producer.ProducerConfig") {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new ProducerRole(start, reports, configuration);
        }
    },
    CONSUMER("consumer.ConsumerConfig") {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new ConsumerRole(start, reports, configuration);
        }
    },
    GROUP("consumer.ConsumerConfig") {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new GroupRole(start, reports, configuration);
        }
    },
    TRANSACTIONAL("producer.ProducerConfig") {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new TransactionalRole(start, reports, configuration);
        }

        @Override
        String absentFrom(Library library) {
            return library.atLeast(0, 11) ? "" : "transactions came with 0.11 (KIP-98)";
        }
    },
    ADMIN("admin.AdminClientConfig") {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new AdminRole(start, reports, configuration);
        }

        @Override
        String absentFrom(Library library) {
            return library.atLeast(2, 5) ? "" : "AdminClient.listOffsets came with 2.5 (KIP-396)";
        }
    },
    SHARE("consumer.ShareConsumerConfig") {
        @Override
        Instance create(Start start, Reports reports, Map<String, Object> configuration) {
            return new ShareRole(start, reports, configuration);
        }

        @Override
        String absentFrom(Library library) {
            return library.atLeast(4, 1) ? "" : "ShareFetch 1, which brokers have, came with 4.1 (KIP-932)";
        }
    };

    /** The class with the role's properties, by name: that of admin came with 0.11, that of share with 4.1. */
    private final String configuration;

    Role(String configuration) {
        this.configuration = "org.apache.kafka.clients." + configuration;
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
        return Settings.names(configuration).contains(property);
    }

    boolean writes() {
        return this == PRODUCER || this == TRANSACTIONAL;
    }

    boolean reads() {
        return this == CONSUMER || this == GROUP || this == SHARE;
    }

    /** Returns why this version of the library lacks the role; empty if it has it. */
    String absentFrom(Library library) {
        return "";
    }
}
