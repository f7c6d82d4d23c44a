//! A consumer that is assigned its partitions, and a subscribed group member that commits what it handled.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{COMMIT_INTERVAL, Client, Instance, Refusal, Start, event, milliseconds};
use futures::future::BoxFuture;
use krafka::consumer::{Consumer, ConsumerRebalanceListener, OffsetAndMetadata, TopicPartition};
use krafka::{CloseOptions, Kafka, KrafkaError};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::config::Config;
use crate::errors::{describe, refused};
use crate::producer::closed;

const POLL: Duration = Duration::from_millis(100);
/// The application's pause after a failed poll, as in the library's own example of a loop.
const PAUSE: Duration = Duration::from_millis(100);

struct Assignment(Instance);

impl ConsumerRebalanceListener for Assignment {
    fn on_partitions_assigned<'a>(
        &'a self,
        partitions: &'a [TopicPartition],
    ) -> impl Future<Output = ()> + Send + 'a {
        self.0.report(
            event(Kind::Assigned).partitions(partitions.iter().map(|one| one.partition).collect()),
        );
        std::future::ready(())
    }

    fn on_partitions_revoked<'a>(
        &'a self,
        partitions: &'a [TopicPartition],
    ) -> impl Future<Output = ()> + Send + 'a {
        self.0.report(
            event(Kind::Revoked).partitions(partitions.iter().map(|one| one.partition).collect()),
        );
        std::future::ready(())
    }
}

struct Reader {
    out: Instance,
    library: Arc<Consumer>,
    polling: JoinHandle<()>,
}

pub async fn open(
    config: &Config,
    kafka: &Kafka,
    start: Arc<Start>,
    out: Instance,
) -> Result<Box<dyn Client>, Refusal> {
    let member = start.role == "group";
    let builder = if member {
        kafka
            .consumer(start.group.as_str())
            .rebalance_listener(Assignment(out.clone()))
    } else {
        kafka.consumer_without_group()
    };
    let library = Arc::new(
        config
            .consumer(builder)
            .build()
            .await
            .map_err(|error| refused(&error))?,
    );
    out.ready(settings(config, member));
    let polling = Polling {
        out: out.clone(),
        library: library.clone(),
        start,
        member,
        handled: BTreeMap::new(),
    };
    let polling = out.spawn(polling.run());
    Ok(Box::new(Reader {
        out,
        library,
        polling,
    }))
}

struct Polling {
    out: Instance,
    library: Arc<Consumer>,
    start: Arc<Start>,
    member: bool,
    /// The offset after the last handled record, by partition, since the last commit.
    handled: BTreeMap<i32, i64>,
}

impl Polling {
    async fn run(mut self) {
        let asked = self.out.asked().clone();
        while let Err(error) = self.begin().await {
            self.failed(&error).await;
            if asked.is_cancelled() {
                return;
            }
        }
        let mut due = Instant::now() + COMMIT_INTERVAL;
        while !asked.is_cancelled() {
            let polled = tokio::select! {
                polled = self.library.poll(POLL) => polled,
                () = asked.cancelled() => return,
            };
            match polled {
                Ok(records) => {
                    for record in records {
                        let value = record.value.as_deref().unwrap_or_default();
                        self.handled.insert(record.partition, record.offset + 1);
                        self.out
                            .received(record.partition, record.offset, value)
                            .await;
                    }
                }
                Err(error) => self.failed(&error).await,
            }
            if self.member && Instant::now() >= due {
                self.commit().await;
                due = Instant::now() + COMMIT_INTERVAL;
            }
        }
    }

    async fn begin(&self) -> Result<(), KrafkaError> {
        if self.member {
            return self.library.subscribe([self.start.topic.as_str()]).await;
        }
        self.library
            .assign(&self.start.topic, self.start.partitions.clone())
            .await
    }

    async fn failed(&self, error: &KrafkaError) {
        self.out
            .report(event(Kind::ReceiveError).failed(describe(error)));
        tokio::time::sleep(PAUSE).await;
    }

    async fn commit(&mut self) {
        let handled = std::mem::take(&mut self.handled);
        let assigned = self.library.assignment().await;
        let own = assigned.get(&self.start.topic).cloned().unwrap_or_default();
        let handled: Vec<(i32, i64)> = handled
            .into_iter()
            .filter(|(partition, _)| own.contains(partition))
            .collect();
        if handled.is_empty() {
            return;
        }
        let place = |&(partition, offset): &(i32, i64)| {
            (
                TopicPartition::new(self.start.topic.as_str(), partition),
                OffsetAndMetadata::new(offset),
            )
        };
        let offsets: Vec<_> = handled.iter().map(place).collect();
        match self.library.commit_offsets(offsets).await {
            Ok(()) => {
                for (partition, offset) in handled {
                    self.out
                        .report(event(Kind::Committed).partition(partition).offset(offset));
                }
            }
            Err(error) => {
                self.out
                    .report(event(Kind::CommitError).failed(describe(&error)));
                self.handled.extend(handled);
            }
        }
    }
}

fn settings(config: &Config, member: bool) -> std::collections::HashMap<String, String> {
    let mut found = driver_runtime::text_of([
        ("request_timeout_ms", milliseconds(config.request_timeout)),
        ("isolation", config.isolation.0.into()),
        ("offset_reset", config.reset.0.into()),
        ("refresh_ms", milliseconds(config.metadata_max_age)),
    ]);
    if member {
        found.extend(driver_runtime::text_of([
            ("session_timeout_ms", milliseconds(config.session_timeout)),
            ("heartbeat_ms", milliseconds(config.heartbeat)),
            (
                "rebalance_timeout_ms",
                milliseconds(config.max_poll_interval),
            ),
        ]));
    }
    found
}

impl Client for Reader {
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = self.polling.await;
            let options = CloseOptions::new().timeout(self.out.flush_time());
            closed(&self.out, self.library.close_with(options).await);
        })
    }
}
