//! Profiles in librdkafka's words: those of its own driver (clients/librdkafka).

use driver_runtime::Profile;

/// No periodic refresh.
const NO_REFRESH: (&str, &str) = ("topic.metadata.refresh.interval.ms", "-1");
const SHORT_SESSION: (&str, &str) = ("session.timeout.ms", "6000");
const SHORT_POLL: (&str, &str) = ("max.poll.interval.ms", "8000");
const SHORT_TRANSACTION: (&str, &str) = ("transaction.timeout.ms", "10000");

pub const STATIC_MEMBER: &str = "static-member";
/// Those with settings that only members of a group have.
pub const OF_GROUPS: &[&str] = &[STATIC_MEMBER, "cooperative"];

pub const PROFILES: &[Profile] = &[
    Profile::of_any("isolated", &[NO_REFRESH]),
    Profile::of_any("defaults", &[]),
    Profile::of_writers("idempotent", &[NO_REFRESH, ("enable.idempotence", "true")]),
    Profile::of_writers(
        "no-retries",
        &[NO_REFRESH, ("message.send.max.retries", "0")],
    ),
    Profile::of_writers("acks-1", &[NO_REFRESH, ("acks", "1")]),
    Profile::of_writers("zstd", &[NO_REFRESH, ("compression.codec", "zstd")]),
    Profile::of_any(
        "refresh-1s",
        &[
            ("topic.metadata.refresh.interval.ms", "1000"),
            ("metadata.max.age.ms", "3000"),
        ],
    ),
    Profile::of_any(
        "quick-timeouts",
        &[
            NO_REFRESH,
            SHORT_SESSION,
            ("socket.timeout.ms", "5000"),
            ("request.timeout.ms", "5000"),
            ("socket.connection.setup.timeout.ms", "5000"),
        ],
    ),
    Profile::of_any(
        "short-limits",
        &[NO_REFRESH, SHORT_SESSION, SHORT_POLL, SHORT_TRANSACTION],
    ),
    Profile::of_any(
        STATIC_MEMBER, // group.instance.id is the name of the instance
        &[NO_REFRESH, SHORT_SESSION, SHORT_POLL, SHORT_TRANSACTION],
    ),
    Profile::of_any(
        "cooperative",
        &[
            NO_REFRESH,
            SHORT_SESSION,
            SHORT_POLL,
            SHORT_TRANSACTION,
            ("partition.assignment.strategy", "cooperative-sticky"),
        ],
    ),
];
