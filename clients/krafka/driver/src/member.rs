//! The group member whose offsets go with transactions: the library takes offsets of members only.

use std::time::Duration;

use driver_runtime::Start;
use krafka::consumer::{Consumer, ConsumerGroupMetadata};
use krafka::{CloseOptions, Kafka, KrafkaError};

use crate::config::Config;

/// The time per transaction in which the member may learn of a rebalance.
const GLANCE: Duration = Duration::from_millis(20);
/// The time of an attempt to join.
const JOIN: Duration = Duration::from_secs(1);

/// A member of the application's group. Its partitions are paused: the records are not what is judged.
pub struct Member {
    library: Consumer,
}

impl Member {
    /// Builds the member and subscribes it to the topic.
    pub async fn build(config: &Config, kafka: &Kafka, start: &Start) -> Result<Self, KrafkaError> {
        let builder = kafka.consumer(start.group.as_str());
        let library = config.consumer(builder).build().await?;
        library.subscribe([start.topic.as_str()]).await?;
        Ok(Self { library })
    }

    /// Returns who the member is at present; it joins first where it has to.
    pub async fn metadata(&self) -> Result<ConsumerGroupMetadata, KrafkaError> {
        let mut wait = GLANCE;
        loop {
            self.library.poll(wait).await?;
            for (topic, partitions) in self.library.assignment().await {
                self.library.pause(&topic, &partitions).await;
            }
            let known = self.library.group_metadata().await;
            if let Some(member) = known.filter(ConsumerGroupMetadata::is_fenceable) {
                return Ok(member);
            }
            wait = JOIN;
        }
    }

    /// Leaves the group.
    pub async fn close(&self, options: CloseOptions) -> Result<(), KrafkaError> {
        self.library.close_with(options).await
    }
}
