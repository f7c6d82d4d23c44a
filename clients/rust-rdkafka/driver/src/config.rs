//! The configuration of an instance: role, profile, then properties, over librdkafka's defaults.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char};

use driver_runtime::{Refusal, Start, choose_profile};
use rdkafka::ClientConfig;
use rdkafka::bindings as c;
use rdkafka::config::{NativeClientConfig, RDKafkaLogLevel};

use crate::errors::refused;
use crate::profiles::{OF_GROUPS, PROFILES, STATIC_MEMBER};
use crate::{FAMILY, VERSION};

const TEXT: usize = 512;
/// librdkafka's largest max.in.flight with idempotence (`rd_kafka_conf_finalize` in `rdkafka_conf.c`).
const IDEMPOTENT_IN_FLIGHT: i64 = 5;
/// Names of driver.proto and librdkafka's: of any role, of writers, of readers, of members of groups.
const OF_ANY: &[(&str, &str)] = &[
    ("retry_backoff_ms", "retry.backoff.ms"),
    ("socket_timeout_ms", "socket.timeout.ms"),
    ("refresh_ms", "topic.metadata.refresh.interval.ms"),
];
const OF_WRITERS: &[(&str, &str)] = &[
    ("acks", "request.required.acks"),
    ("compression", "compression.codec"),
    ("retries", "message.send.max.retries"),
    ("request_timeout_ms", "request.timeout.ms"),
    ("delivery_timeout_ms", "message.timeout.ms"),
    ("linger_ms", "queue.buffering.max.ms"),
    ("max_in_flight", "max.in.flight.requests.per.connection"),
    ("idempotence", "enable.idempotence"),
];
const OF_READERS: &[(&str, &str)] = &[
    ("isolation", "isolation.level"),
    ("offset_reset", "auto.offset.reset"),
];
const OF_MEMBERS: &[(&str, &str)] = &[
    ("session_timeout_ms", "session.timeout.ms"),
    ("rebalance_timeout_ms", "max.poll.interval.ms"),
    ("heartbeat_ms", "heartbeat.interval.ms"),
    ("protocol", "group.protocol"),
];
const BACK_OFFS: &[&str] = &[
    "retry.backoff.ms",
    "retry.backoff.max.ms",
    "reconnect.backoff.max.ms",
    "fetch.error.backoff.ms",
];

/// The settings of a client with the effective ones by the names of driver.proto.
pub struct Config {
    pub client: ClientConfig,
    pub effective: HashMap<String, String>,
}

/// The library with its version, for refusals.
pub fn library() -> String {
    format!("{FAMILY} {VERSION}")
}

impl Config {
    /// Reads the configuration of an instance; `role` has the settings that the role needs.
    pub fn read(start: &Start, role: &[(&str, &str)]) -> Result<Self, Refusal> {
        let profile = choose_profile(FAMILY, PROFILES, start)?;
        if OF_GROUPS.contains(&profile.name) && start.role != "group" {
            let text = format!(
                "profile {} concerns members of groups, a {} is none",
                profile.name, start.role
            );
            return Err(Refusal::of(text));
        }
        let mut client = ClientConfig::new();
        client
            .set("bootstrap.servers", start.bootstrap.join(","))
            .set("client.id", &start.client_id)
            .set_log_level(RDKafkaLogLevel::Info); // librdkafka's default; the wrapper asks the crate `log`
        if let Some(asked) = &start.security {
            client
                .set("security.protocol", &asked.protocol)
                .set("sasl.mechanisms", &asked.mechanism)
                .set("sasl.username", &asked.user)
                .set("sasl.password", &asked.password);
        }
        for (key, text) in role.iter().chain(profile.set) {
            client.set(*key, *text);
        }
        if profile.name == STATIC_MEMBER {
            client.set("group.instance.id", &start.instance);
        }
        for (key, text) in &start.properties {
            client.set(key, text);
        }
        let native = client
            .create_native_config()
            .map_err(|error| refused(&library(), &error))?;
        let effective = reported(&native, &start.role);
        Ok(Self { client, effective })
    }
}

fn reported(native: &NativeClientConfig, role: &str) -> HashMap<String, String> {
    let names: &[&[(&str, &str)]] = match role {
        "group" => &[OF_ANY, OF_READERS, OF_MEMBERS],
        "consumer" => &[OF_ANY, OF_READERS],
        _ => &[OF_ANY, OF_WRITERS],
    };
    let all = names.iter().copied().flatten();
    let mut found: HashMap<String, String> = all
        .filter_map(|&(name, key)| Some((name.to_owned(), plain(name, effective(native, key)?))))
        .collect();
    let longest = BACK_OFFS
        .iter()
        .filter_map(|key| effective(native, key)?.parse::<i64>().ok())
        .max();
    found.insert(
        "longest_backoff_ms".into(),
        longest.unwrap_or_default().to_string(),
    );
    if role == "transactional" || found.get("idempotence").is_some_and(|text| text == "true") {
        found.insert("idempotence".into(), "true".into());
        let given = found
            .get("max_in_flight")
            .and_then(|text| text.parse().ok());
        let most = given
            .unwrap_or(IDEMPOTENT_IN_FLIGHT)
            .min(IDEMPOTENT_IN_FLIGHT);
        found.insert("max_in_flight".into(), most.to_string());
    }
    found
}

/// A value in the words of driver.proto.
fn plain(name: &str, text: String) -> String {
    match (name, text.as_str()) {
        ("acks", "-1") => "all".into(),
        ("offset_reset", "smallest" | "beginning") => "earliest".into(),
        ("offset_reset", "largest" | "end") => "latest".into(),
        _ => text,
    }
}

/// A setting as librdkafka has it; none where this version does not know it.
fn effective(native: &NativeClientConfig, key: &str) -> Option<String> {
    let text = native.get(key).ok().or_else(|| default_of_topics(key))?;
    Some(text.trim_end_matches('\0').to_owned())
}

/// The default of a setting of topics, which librdkafka does not keep in a client's configuration until one is set.
fn default_of_topics(key: &str) -> Option<String> {
    let key = CString::new(key).ok()?;
    let mut text: [c_char; TEXT] = [0; TEXT];
    let mut size = TEXT;
    // SAFETY: the configuration lives until it is destroyed here; librdkafka writes at most `size` bytes, and a zero.
    unsafe {
        let conf = c::rd_kafka_topic_conf_new();
        let done = c::rd_kafka_topic_conf_get(conf, key.as_ptr(), text.as_mut_ptr(), &raw mut size);
        c::rd_kafka_topic_conf_destroy(conf);
        (done == c::rd_kafka_conf_res_t::RD_KAFKA_CONF_OK)
            .then(|| CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned())
    }
}
