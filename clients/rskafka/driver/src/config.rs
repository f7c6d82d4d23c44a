//! The configuration of an instance: profile, then properties, over the library's defaults.

use std::ops::Range;
use std::time::Duration;

use driver_runtime::{Profile, Properties, Refusal, Start, choose_profile, milliseconds};
use rskafka::client::partition::UnknownTopicHandling;
use rskafka::client::{Client, ClientBuilder};

use crate::errors::describe;
use crate::{FAMILY, VERSION};

/// Defaults of the back-off (backoff.rs); versions without `backoff_config` cannot change it.
const INIT_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(500);
const BASE: f64 = 3.0;
/// The longest wait that a trial can see: the sixth, when each is three times as long as the one before and 12 s have
/// passed. The next one would be longer than most faults are observed.
const SEEN_BACKOFF: Duration = Duration::from_millis(24_300);
/// Tries of a call without a deadline, as far as a number can say it.
const WITHOUT_END: &str = "2147483647";

const PROFILES: &[Profile] = &[
    Profile::of_any("isolated", &[]), // nothing is refreshed at intervals
    Profile::of_any("defaults", &[]),
    Profile::of_writers("no-retries", &[("BackoffConfig.deadline", "0s")]),
];

/// The profiles of this version: the last one needs a back-off with a deadline.
pub fn profiles() -> &'static [Profile] {
    if cfg!(feature = "backoff") {
        PROFILES
    } else {
        &PROFILES[..2]
    }
}

pub struct Backoff {
    pub init: Duration,
    pub max: Duration,
    pub base: f64,
    pub deadline: Option<Duration>,
}

pub struct Config {
    pub backoff: Backoff,
    pub unknown_topic: UnknownTopicHandling,
    pub max_wait_ms: Option<i32>,
    pub batch_size: Range<Option<i32>>,
    max_message_size: Option<usize>,
}

impl Config {
    /// Reads the configuration of an instance.
    pub fn read(start: &Start) -> Result<Self, Refusal> {
        let profile = choose_profile(FAMILY, profiles(), start)?;
        let mut given = Properties::new(format!("{FAMILY} {VERSION}"), profile, start);
        let mut this = Self {
            backoff: Backoff {
                init: INIT_BACKOFF,
                max: MAX_BACKOFF,
                base: BASE,
                deadline: None,
            },
            unknown_topic: given
                .parsed("UnknownTopicHandling", handling)?
                .unwrap_or(UnknownTopicHandling::Retry),
            max_message_size: given.value("ClientBuilder.max_message_size")?,
            max_wait_ms: None,
            batch_size: None..None,
        };
        if cfg!(feature = "backoff") {
            let backoff = &mut this.backoff;
            backoff.init = given
                .time("BackoffConfig.init_backoff")?
                .unwrap_or(backoff.init);
            backoff.max = given
                .time("BackoffConfig.max_backoff")?
                .unwrap_or(backoff.max);
            backoff.base = given.value("BackoffConfig.base")?.unwrap_or(backoff.base);
            backoff.deadline = given.time("BackoffConfig.deadline")?;
        }
        if start.role == "consumer" {
            this.max_wait_ms = given.value("StreamConsumerBuilder.max_wait_ms")?;
            this.batch_size.start = given.value("StreamConsumerBuilder.min_batch_size")?;
            this.batch_size.end = given.value("StreamConsumerBuilder.max_batch_size")?;
        }
        given.end()?;
        Ok(this)
    }

    /// Builds the client, which asks for the cluster's metadata.
    pub async fn client(&self, start: &Start) -> Result<Client, Refusal> {
        let mut builder =
            ClientBuilder::new(start.bootstrap.clone()).client_id(start.client_id.as_str());
        if let Some(size) = self.max_message_size {
            builder = builder.max_message_size(size);
        }
        #[cfg(feature = "backoff")]
        {
            let Backoff {
                init,
                max,
                base,
                deadline,
            } = self.backoff;
            let given = rskafka::BackoffConfig {
                init_backoff: init,
                max_backoff: max,
                base,
                deadline,
            };
            builder = builder.backoff_config(given);
        }
        if let Some(asked) = &start.security {
            #[cfg(feature = "secured")]
            {
                builder = crate::security::secured(builder, asked)?;
            }
            #[cfg(not(feature = "secured"))]
            return Err(Refusal::of(format!(
                "{FAMILY} {VERSION} has no {} here",
                asked.protocol
            )));
        }
        builder
            .build()
            .await
            .map_err(|error| Refusal::Failed(describe(&error)))
    }

    /// Settings of READY that both roles have. No request has a time-out, and nothing is refreshed at intervals.
    pub fn settings(&self) -> [(&'static str, String); 4] {
        let ends = self
            .backoff
            .deadline
            .is_some_and(|deadline| deadline.is_zero());
        [
            (
                "retries",
                if ends { "0".into() } else { WITHOUT_END.into() },
            ),
            ("retry_backoff_ms", milliseconds(self.backoff.init)),
            (
                "longest_backoff_ms",
                milliseconds(self.backoff.max.min(SEEN_BACKOFF)),
            ),
            ("refresh_ms", "-1".into()),
        ]
    }
}

fn handling(text: &str) -> Option<UnknownTopicHandling> {
    match text {
        "Error" => Some(UnknownTopicHandling::Error),
        "Retry" => Some(UnknownTopicHandling::Retry),
        _ => None,
    }
}
