package probe.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import probe.driver.v1.Start;

/**
 * Named configurations as settings of kafka-clients. All but {@code defaults} and {@code refresh-1s} extend {@code
 * isolated}, so that no periodic refresh helps them.
 */
final class Profiles {
    private static final String REFRESH = "metadata.max.age.ms";
    /**
     * Longer than any trial. No other timer requests metadata within a trial: {@code metadata.max.idle.ms} (5 min)
     * drops unused topics, {@code connections.max.idle.ms} (9 min; admin 5 min) closes idle connections, {@code
     * metadata.recovery.rebootstrap.trigger.ms} (5 min) counts while no broker responds.
     */
    private static final String NEVER = "3600000";
    private static final String QUICK = "5000";
    /** Brokers reject a session below their {@code group.min.session.timeout.ms}, 6 s by default. */
    private static final String QUICK_SESSION = "6000";
    /** Before 2.0 a consumer's request timeout must exceed its session timeout (KafkaConsumer's constructor). */
    private static final String ABOVE_QUICK_SESSION = "7000";
    private static final Map<String, String> SHORT_LIMITS = Map.of(
            "session.timeout.ms", "6000", "max.poll.interval.ms", "8000", "transaction.timeout.ms", "10000");
    private static final List<String> NAMES = List.of("isolated", "defaults", "idempotent", "no-retries", "acks-1",
            "zstd", "refresh-1s", "quick-timeouts", "consumer-protocol", "short-limits", "static-member", "cooperative", "autocommit");

    private Profiles() {}

    /** The profiles that at least one role of this version supports. */
    static List<String> names(Library library) {
        return NAMES.stream().filter(name -> switch (name) {
            case "idempotent" -> library.atLeast(0, 11);
            case "zstd" -> library.atLeast(2, 1);
            case "consumer-protocol" -> library.atLeast(4, 0);
            case "static-member" -> library.atLeast(2, 3);
            case "cooperative" -> library.atLeast(2, 4);
            default -> true;
        }).collect(Collectors.toList());
    }

    /** The profiles of an application with this client inside, which decides by itself how its groups work. */
    static List<String> ofApplications(Library library) {
        List<String> own = List.of("static-member", "cooperative", "autocommit");
        return names(library).stream().filter(name -> !own.contains(name)).collect(Collectors.toList());
    }

    /** Throws UnsupportedException with the reason. */
    static Map<String, String> of(Start start, Role role, Library library) {
        String profile = start.getProfile();
        Map<String, String> settings = new HashMap<>(Map.of(REFRESH, NEVER));
        switch (profile) {
            case "isolated" -> { }
            case "defaults" -> settings.clear();
            case "refresh-1s" -> settings.put(REFRESH, "1000");
            case "idempotent" -> settings.putAll(idempotent(role, library));
            case "no-retries" -> settings.putAll(
                    only(role == Role.PRODUCER || role == Role.ADMIN, profile, role, "retries", "0"));
            case "acks-1" -> settings.putAll(only(role == Role.PRODUCER, profile, role, "acks", "1"));
            case "zstd" -> settings.putAll(zstd(role, library));
            case "quick-timeouts" -> settings.putAll(quick(role, library));
            case "consumer-protocol" -> settings.putAll(consumerProtocol(role, library));
            case "short-limits" -> settings.putAll(shortLimits(role));
            case "static-member" -> settings.putAll(
                    ofGroup(profile, role, Map.of("group.instance.id", start.getInstance())));
            case "cooperative" -> settings.putAll(ofGroup(profile, role, Map.of("partition.assignment.strategy",
                    "org.apache.kafka.clients.consumer.CooperativeStickyAssignor")));
            case "autocommit" -> settings.putAll(ofGroup(profile, role,
                    Map.of("enable.auto.commit", "true", "auto.commit.interval.ms", "1000")));
            case "oldest-protocol" -> throw new UnsupportedException(
                    "kafka-clients negotiates the version of every request and has no setting that caps it");
            default -> throw new UnsupportedException("this driver has no profile " + profile);
        }
        return settings;
    }

    private static Map<String, String> only(boolean fits, String profile, Role role, String key, String value) {
        if (!fits) {
            throw new UnsupportedException(
                    "profile " + profile + " sets " + key + ", which has no meaning for the role " + role.word());
        }
        return Map.of(key, value);
    }

    private static Map<String, String> idempotent(Role role, Library library) {
        if (!library.atLeast(0, 11)) {
            throw new UnsupportedException(
                    "the idempotent producer came with 0.11 (KIP-98); this is " + library.version());
        }
        return only(role == Role.PRODUCER, "idempotent", role, "enable.idempotence", "true");
    }

    private static Map<String, String> zstd(Role role, Library library) {
        if (!library.atLeast(2, 1)) {
            throw new UnsupportedException("zstd came with 2.1 (KIP-110); this is " + library.version());
        }
        return only(role.writes(), "zstd", role, "compression.type", "zstd");
    }

    private static Map<String, String> consumerProtocol(Role role, Library library) {
        if (!library.atLeast(4, 0)) {
            throw new UnsupportedException(
                    "group.protocol=consumer is a preview before 4.0 (KIP-848); this is " + library.version());
        }
        return only(role == Role.GROUP, "consumer-protocol", role, "group.protocol", "consumer");
    }

    /** Short limits, and further settings of a member of a group. */
    private static Map<String, String> ofGroup(String profile, Role role, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(shortLimits(role));
        for (Map.Entry<String, String> item : more.entrySet()) {
            if (!role.knows(item.getKey())) {
                throw new UnsupportedException("this version has no " + item.getKey());
            }
            settings.putAll(only(role == Role.GROUP, profile, role, item.getKey(), item.getValue()));
        }
        return settings;
    }

    /** Before 0.10.1 there is no poll interval (KIP-62), and a member that does not poll loses its session. */
    private static Map<String, String> shortLimits(Role role) {
        Map<String, String> settings = new HashMap<>();
        SHORT_LIMITS.forEach((key, value) -> {
            if (role.knows(key)) {
                settings.put(key, value);
            }
        });
        return settings;
    }

    /** {@code delivery.timeout.ms} stays: it bounds the wait of the application, not the detection of silence. */
    private static Map<String, String> quick(Role role, Library library) {
        Map<String, String> settings = new HashMap<>(Map.of("request.timeout.ms", QUICK));
        if (role.reads() && role.knows("session.timeout.ms")) {
            settings.put("session.timeout.ms", QUICK_SESSION);
            if (!library.atLeast(2, 0)) {
                settings.put("request.timeout.ms", ABOVE_QUICK_SESSION);
            }
        }
        if (role.knows("socket.connection.setup.timeout.ms")) {
            settings.put("socket.connection.setup.timeout.ms", QUICK);
            settings.put("socket.connection.setup.timeout.max.ms", QUICK);
        }
        return settings;
    }
}
