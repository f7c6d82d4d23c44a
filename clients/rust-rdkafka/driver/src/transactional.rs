//! Transactions, one after the other: a `FutureProducer`, as in librdkafka's documentation.
//!
//! An error of a transactional call states its remedy (rdkafka.h, `rd_kafka_error_t`): call again if it is retriable,
//! abort if it requires that, close if it is fatal.

use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{Client, Instance, Refusal, Start, Ticker, event, in_transaction};
use futures::future::BoxFuture;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerGroupMetadata};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::producer::Producer;
use rdkafka::util::Timeout;
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::errors::describe;
use crate::producer::{Library, Written, build, dispose, flush};

/// The pause before a failed call is repeated.
const PAUSE: Duration = Duration::from_millis(100);

struct Writer {
    out: Instance,
    library: Library,
    running: JoinHandle<()>,
}

pub fn open(start: &Arc<Start>, out: &Instance) -> Result<Box<dyn Client>, Refusal> {
    let (library, _) = build(start, out, &[("transactional.id", &start.transactional_id)])?;
    let run = Run {
        out: out.clone(),
        start: start.clone(),
        library: library.clone(),
        members: None,
    };
    let running = out.spawn(run.run());
    Ok(Box::new(Writer {
        out: out.clone(),
        library,
        running,
    }))
}

/// Why a transaction, or all of them, ended early.
enum Ended {
    /// Closing was asked for.
    Asked,
    Failed(KafkaError),
}

struct Run {
    out: Instance,
    start: Arc<Start>,
    library: Library,
    /// The metadata of the group; only a consumer makes them, and it sends no request for that.
    members: Option<Arc<ConsumerGroupMetadata>>,
}

impl Run {
    async fn run(mut self) {
        let begun = self
            .repeat(-1, |library| library.init_transactions(Timeout::Never))
            .await;
        let ended = match begun {
            Ok(()) => self.transactions().await,
            Err(ended) => ended,
        };
        if let Ended::Failed(error) = ended {
            self.out.fatal(
                Some(describe(&error)),
                "the producer cannot be used any more",
            );
        }
    }

    async fn transactions(&mut self) -> Ended {
        let asked = self.out.asked().clone();
        let mut ticker = Ticker::default();
        for number in 0.. {
            if let Err(error) = self.transaction(number).await {
                self.out.report(
                    event(Kind::TxnError)
                        .at(-1, number)
                        .failed(describe(&error)),
                );
                if matches!(&error, KafkaError::Transaction(one) if one.is_fatal()) {
                    return Ended::Failed(error);
                }
                match self
                    .repeat(number, |library| library.abort_transaction(Timeout::Never))
                    .await
                {
                    Ok(()) => self.out.report(event(Kind::TxnAborted).at(-1, number)),
                    Err(ended) => return ended,
                }
            }
            if !ticker.tick(&asked, self.out.interval()).await {
                break;
            }
        }
        Ended::Asked
    }

    async fn transaction(&mut self, number: i64) -> KafkaResult<()> {
        self.library.begin_transaction()?;
        self.out.report(event(Kind::TxnBegun).at(-1, number));
        for place in in_transaction(&self.start, number) {
            self.send(place.partition, place.sequence);
        }
        if !self.start.group.is_empty() {
            self.offsets(number).await?;
        }
        self.out.handle().await;
        match self
            .repeat(number, |library| library.commit_transaction(Timeout::Never))
            .await
        {
            Ok(()) => self.out.report(event(Kind::TxnCommitted).at(-1, number)),
            Err(Ended::Asked) => {}
            Err(Ended::Failed(error)) => return Err(error),
        }
        Ok(())
    }

    /// Enqueues a record; its outcome is reported when the library has it.
    fn send(&self, partition: i32, sequence: i64) {
        let record = Written::new(&self.out, &self.start, partition, sequence);
        let enqueued = self
            .library
            .send_result(record.in_full())
            .map_err(|(error, _)| error);
        match enqueued {
            Ok(delivery) => {
                let out = self.out.clone();
                self.out.spawn(async move {
                    if let Ok(done) = delivery.await {
                        record.report(&out, done);
                    }
                });
            }
            Err(error) => {
                self.out.report(
                    event(Kind::SendError)
                        .at(partition, sequence)
                        .failed(describe(&error)),
                );
            }
        }
    }

    async fn offsets(&mut self, number: i64) -> KafkaResult<()> {
        let members = match &self.members {
            Some(members) => members.clone(),
            None => metadata_of(&self.start.group)?,
        };
        self.members = Some(members.clone());
        let mut offsets = TopicPartitionList::new();
        offsets.add_partition_offset(
            &self.start.topic,
            self.start.partitions[0],
            Offset::Offset(number),
        )?;
        blocking(&self.library, move |library| {
            library.send_offsets_to_transaction(&offsets, &members, Timeout::Never)
        })
        .await
    }

    /// Repeats a call while the library allows that.
    async fn repeat(
        &self,
        number: i64,
        call: impl Fn(&Library) -> KafkaResult<()> + Copy + Send + 'static,
    ) -> Result<(), Ended> {
        while !self.out.asked().is_cancelled() {
            let Err(error) = blocking(&self.library, call).await else {
                return Ok(());
            };
            if !matches!(&error, KafkaError::Transaction(one) if one.is_retriable()) {
                return Err(Ended::Failed(error));
            }
            self.out.report(
                event(Kind::TxnError)
                    .at(-1, number)
                    .failed(describe(&error)),
            );
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.out.asked().cancelled() => {}
            }
        }
        Err(Ended::Asked)
    }
}

/// Makes a call that blocks on a thread of its own.
async fn blocking(
    library: &Library,
    call: impl FnOnce(&Library) -> KafkaResult<()> + Send + 'static,
) -> KafkaResult<()> {
    let library = library.clone();
    spawn_blocking(move || call(&library))
        .await
        .unwrap_or(Err(KafkaError::Canceled))
}

fn metadata_of(group: &str) -> KafkaResult<Arc<ConsumerGroupMetadata>> {
    let consumer: BaseConsumer = ClientConfig::new().set("group.id", group).create()?;
    consumer
        .group_metadata()
        .map(Arc::new)
        .ok_or(KafkaError::Canceled)
}

impl Client for Writer {
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = self.running.await;
            flush(&self.out, self.library.clone()).await;
            dispose(self.library).await;
        })
    }
}
