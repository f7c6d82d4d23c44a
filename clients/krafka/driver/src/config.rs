//! The configuration of an instance: profile, then properties, over the library's defaults.

use std::time::Duration;

use driver_runtime::{Properties, Refusal, Start, choose_profile};
use krafka::consumer::{AutoOffsetReset, ConsumerBuilder, GroupProtocol, IsolationLevel};
use krafka::producer::{Acks, ProducerBuilder};
use krafka::{Compression, Kafka};

use crate::errors::refused;
use crate::profiles::PROFILES;
use crate::security::access;
use crate::{FAMILY, VERSION};

/// Settings of an instance; those without a value are the library's.
pub struct Config {
    pub acks: Acks,
    pub idempotent: bool,
    pub compression: (&'static str, Compression),
    pub linger: Option<Duration>,
    pub batch_size: Option<usize>,
    pub delivery_timeout: Duration,
    pub transaction_timeout: Option<Duration>,
    pub retry_backoff: Duration,
    pub session_timeout: Duration,
    pub heartbeat: Duration,
    pub max_poll_interval: Duration,
    pub fetch_max_wait: Option<Duration>,
    pub isolation: (&'static str, IsolationLevel),
    pub reset: (&'static str, AutoOffsetReset),
    pub protocol: GroupProtocol,
    pub request_timeout: Duration,
    pub connect_timeout: Duration,
    pub metadata_max_age: Duration,
}

impl Config {
    /// Reads the configuration of an instance. Numbers are the library's defaults, which no getter reports
    /// (`producer/config.rs`, `consumer/config.rs`, `client.rs`).
    pub fn read(start: &Start) -> Result<Self, Refusal> {
        let profile = choose_profile(FAMILY, PROFILES, start)?;
        let mut given = Properties::new(format!("{FAMILY} {VERSION}"), profile, start);
        let this = Self {
            request_timeout: given
                .time("Kafka.request_timeout")?
                .unwrap_or(Duration::from_secs(30)),
            connect_timeout: given
                .time("Kafka.connect_timeout")?
                .unwrap_or(Duration::from_secs(10)),
            metadata_max_age: given
                .time("Kafka.metadata_max_age")?
                .unwrap_or(Duration::from_secs(300)),
            ..Self::of_role(&mut given, &start.role)?
        };
        given.end()?;
        Ok(this)
    }

    fn of_role(given: &mut Properties, role: &str) -> Result<Self, Refusal> {
        let mut this = Self {
            acks: Acks::All,
            idempotent: true,
            compression: ("none", Compression::None),
            linger: None,
            batch_size: None,
            delivery_timeout: Duration::from_secs(120),
            transaction_timeout: None,
            retry_backoff: Duration::from_millis(100),
            session_timeout: Duration::from_secs(45),
            heartbeat: Duration::from_secs(3),
            max_poll_interval: Duration::from_secs(300),
            fetch_max_wait: None,
            isolation: ("read_uncommitted", IsolationLevel::ReadUncommitted),
            reset: ("earliest", AutoOffsetReset::Earliest),
            protocol: GroupProtocol::Classic,
            request_timeout: Duration::ZERO,
            connect_timeout: Duration::ZERO,
            metadata_max_age: Duration::ZERO,
        };
        match role {
            "producer" | "transactional" => this.writing(given)?,
            "consumer" | "group" => this.reading(given)?,
            _ => {}
        }
        Ok(this)
    }

    fn writing(&mut self, given: &mut Properties) -> Result<(), Refusal> {
        self.acks = given.parsed("Producer.acks", acks)?.unwrap_or(self.acks);
        self.idempotent = given
            .value("Producer.idempotent")?
            .unwrap_or(self.idempotent);
        self.compression = given
            .parsed("Producer.compression", compression)?
            .unwrap_or(self.compression);
        self.linger = given.time("Producer.linger")?;
        self.batch_size = given.value("Producer.batch_size")?;
        self.delivery_timeout = given
            .time("Producer.delivery_timeout")?
            .unwrap_or(self.delivery_timeout);
        self.transaction_timeout = given.time("Producer.transaction_timeout")?;
        self.retry_backoff = given
            .time("Producer.retry_backoff")?
            .unwrap_or(self.retry_backoff);
        Ok(())
    }

    fn reading(&mut self, given: &mut Properties) -> Result<(), Refusal> {
        self.session_timeout = given
            .time("Consumer.session_timeout")?
            .unwrap_or(self.session_timeout);
        self.heartbeat = given
            .time("Consumer.heartbeat_interval")?
            .unwrap_or(self.heartbeat);
        self.max_poll_interval = given
            .time("Consumer.max_poll_interval")?
            .unwrap_or(self.max_poll_interval);
        self.fetch_max_wait = given.time("Consumer.fetch_max_wait")?;
        self.isolation = given
            .parsed("Consumer.isolation_level", isolation)?
            .unwrap_or(self.isolation);
        self.reset = given
            .parsed("Consumer.auto_offset_reset", reset)?
            .unwrap_or(self.reset);
        self.protocol = given
            .parsed("Consumer.group_protocol", protocol)?
            .unwrap_or(self.protocol);
        Ok(())
    }

    /// Connects to the cluster.
    pub async fn connect(&self, start: &Start) -> Result<Kafka, Refusal> {
        let mut builder = Kafka::builder(start.bootstrap.join(","))
            .client_id(start.client_id.as_str())
            .request_timeout(self.request_timeout)
            .connect_timeout(self.connect_timeout)
            .metadata_max_age(self.metadata_max_age);
        if let Some(asked) = &start.security {
            builder = builder.security(access(asked)?);
        }
        builder.connect().await.map_err(|error| refused(&error))
    }

    /// A producer's builder with these settings. Telemetry is off: it would be traffic beside the workload.
    pub fn producer(&self, kafka: &Kafka) -> ProducerBuilder {
        let mut builder = kafka
            .producer()
            .acks(self.acks)
            .idempotent(self.idempotent)
            .compression(self.compression.1)
            .delivery_timeout(self.delivery_timeout)
            .retry_backoff(self.retry_backoff)
            .metrics_push(false);
        if let Some(linger) = self.linger {
            builder = builder.linger(linger);
        }
        if let Some(size) = self.batch_size {
            builder = builder.batch_size(size);
        }
        if let Some(timeout) = self.transaction_timeout {
            builder = builder.transaction_timeout(timeout);
        }
        builder
    }

    /// Gives a consumer's builder these settings. The application commits by itself.
    pub fn consumer(&self, builder: ConsumerBuilder) -> ConsumerBuilder {
        let builder = builder
            .enable_auto_commit(false)
            .auto_offset_reset(self.reset.1)
            .isolation_level(self.isolation.1)
            .session_timeout(self.session_timeout)
            .heartbeat_interval(self.heartbeat)
            .max_poll_interval(self.max_poll_interval)
            .group_protocol(self.protocol)
            .metrics_push(false);
        match self.fetch_max_wait {
            Some(wait) => builder.fetch_max_wait(wait),
            None => builder,
        }
    }
}

fn acks(text: &str) -> Option<Acks> {
    match text {
        "all" | "-1" => Some(Acks::All),
        "1" => Some(Acks::Leader),
        "0" => Some(Acks::None),
        _ => None,
    }
}

fn compression(text: &str) -> Option<(&'static str, Compression)> {
    match text {
        "none" => Some(("none", Compression::None)),
        "gzip" => Some(("gzip", Compression::Gzip)),
        "snappy" => Some(("snappy", Compression::Snappy)),
        "lz4" => Some(("lz4", Compression::Lz4)),
        "zstd" => Some(("zstd", Compression::Zstd)),
        _ => None,
    }
}

fn isolation(text: &str) -> Option<(&'static str, IsolationLevel)> {
    match text {
        "read_uncommitted" => Some(("read_uncommitted", IsolationLevel::ReadUncommitted)),
        "read_committed" => Some(("read_committed", IsolationLevel::ReadCommitted)),
        _ => None,
    }
}

fn reset(text: &str) -> Option<(&'static str, AutoOffsetReset)> {
    match text {
        "earliest" => Some(("earliest", AutoOffsetReset::Earliest)),
        "latest" => Some(("latest", AutoOffsetReset::Latest)),
        _ => None,
    }
}

fn protocol(text: &str) -> Option<GroupProtocol> {
    match text {
        "classic" => Some(GroupProtocol::Classic),
        "consumer" => Some(GroupProtocol::Consumer),
        _ => None,
    }
}
