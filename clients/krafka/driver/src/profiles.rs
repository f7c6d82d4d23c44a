//! Profiles in the library's own words.

use driver_runtime::Profile;

/// A refresh interval longer than any trial.
const NEVER: &str = "86400s";

pub const PROFILES: &[Profile] = &[
    Profile {
        name: "isolated",
        set: &[("Kafka.metadata_max_age", NEVER)],
        writing: false,
    },
    Profile {
        name: "defaults",
        set: &[],
        writing: false,
    },
    Profile {
        name: "acks-1",
        set: &[
            ("Kafka.metadata_max_age", NEVER),
            ("Producer.acks", "1"),
            ("Producer.idempotent", "false"),
        ],
        writing: true,
    },
    Profile {
        name: "idempotent",
        set: &[
            ("Kafka.metadata_max_age", NEVER),
            ("Producer.idempotent", "true"),
        ],
        writing: true,
    },
    Profile {
        name: "zstd",
        set: &[
            ("Kafka.metadata_max_age", NEVER),
            ("Producer.compression", "zstd"),
        ],
        writing: true,
    },
    Profile {
        name: "refresh-1s",
        set: &[("Kafka.metadata_max_age", "1s")],
        writing: false,
    },
    Profile {
        name: "quick-timeouts",
        set: &[
            ("Kafka.metadata_max_age", NEVER),
            ("Kafka.request_timeout", "5s"),
            ("Kafka.connect_timeout", "5s"),
            ("Producer.delivery_timeout", "10s"),
            ("Consumer.session_timeout", "6s"),
            ("Consumer.heartbeat_interval", "1500ms"),
        ],
        writing: false,
    },
    Profile {
        name: "consumer-protocol",
        set: &[
            ("Kafka.metadata_max_age", NEVER),
            ("Consumer.group_protocol", "consumer"),
        ],
        writing: false,
    },
    Profile {
        name: "short-limits",
        set: &[
            ("Kafka.metadata_max_age", NEVER),
            ("Consumer.session_timeout", "6s"),
            ("Consumer.max_poll_interval", "8s"),
            ("Producer.transaction_timeout", "10s"),
        ],
        writing: false,
    },
];
