//! Profiles in the library's own words.

use driver_runtime::Profile;

/// A refresh interval longer than any trial.
const NEVER: &str = "86400s";

pub const PROFILES: &[Profile] = &[
    Profile::of_any("isolated", &[("Kafka.metadata_max_age", NEVER)]),
    Profile::of_any("defaults", &[]),
    Profile::of_writers(
        "acks-1",
        &[
            ("Kafka.metadata_max_age", NEVER),
            ("Producer.acks", "1"),
            ("Producer.idempotent", "false"),
        ],
    ),
    Profile::of_writers(
        "idempotent",
        &[
            ("Kafka.metadata_max_age", NEVER),
            ("Producer.idempotent", "true"),
        ],
    ),
    Profile::of_writers(
        "zstd",
        &[
            ("Kafka.metadata_max_age", NEVER),
            ("Producer.compression", "zstd"),
        ],
    ),
    Profile::of_any("refresh-1s", &[("Kafka.metadata_max_age", "1s")]),
    Profile::of_any(
        "quick-timeouts",
        &[
            ("Kafka.metadata_max_age", NEVER),
            ("Kafka.request_timeout", "5s"),
            ("Kafka.connect_timeout", "5s"),
            ("Producer.delivery_timeout", "10s"),
            ("Consumer.session_timeout", "6s"),
            ("Consumer.heartbeat_interval", "1500ms"),
        ],
    ),
    Profile::of_any(
        "consumer-protocol",
        &[
            ("Kafka.metadata_max_age", NEVER),
            ("Consumer.group_protocol", "consumer"),
        ],
    ),
    Profile::of_any(
        "short-limits",
        &[
            ("Kafka.metadata_max_age", NEVER),
            ("Consumer.session_timeout", "6s"),
            ("Consumer.max_poll_interval", "8s"),
            ("Producer.transaction_timeout", "10s"),
        ],
    ),
];
