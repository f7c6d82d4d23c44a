//! Writes records in one transaction per interval (`driver_runtime::in_transaction`), as the library's example does.

use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{Client, Instance, Refusal, Start, Ticker, event, in_transaction};
use futures::future::BoxFuture;
use krafka::consumer::ConsumerGroupMetadata;
use krafka::producer::{TopicPartitionOffset, TransactionalProducer};
use krafka::{CloseOptions, Kafka, KrafkaError};
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::errors::{describe, refused};
use crate::producer::{closed, record, settings};

/// The pause between attempts to end a transaction, in addition to the library's own attempts.
const PAUSE: Duration = Duration::from_millis(100);
const LEAST_FLUSH: Duration = Duration::from_millis(500);
/// Of a committer that is no member (KIP-447).
const NO_GENERATION: i32 = -1;

struct Transactional {
    out: Instance,
    library: Arc<TransactionalProducer>,
    working: JoinHandle<()>,
}

pub async fn open(
    config: &Config,
    kafka: &Kafka,
    start: Arc<Start>,
    out: Instance,
) -> Result<Box<dyn Client>, Refusal> {
    let building = config
        .producer(kafka)
        .build_transactional(start.transactional_id.as_str());
    let library = Arc::new(building.await.map_err(|error| refused(&error))?);
    out.ready(settings(config));
    let work = Work {
        out: out.clone(),
        library: library.clone(),
        start,
        number: 0,
    };
    let working = out.spawn(work.run());
    Ok(Box::new(Transactional {
        out,
        library,
        working,
    }))
}

struct Work {
    out: Instance,
    library: Arc<TransactionalProducer>,
    start: Arc<Start>,
    /// Of the transaction.
    number: i64,
}

impl Work {
    async fn run(mut self) {
        let (asked, mut ticker) = (self.out.asked().clone(), Ticker::default());
        while ticker.tick(&asked, self.out.interval()).await {
            tokio::select! {
                () = self.transaction() => {}
                () = asked.cancelled() => return,
            }
        }
    }

    async fn transaction(&mut self) {
        if let Err(error) = self.library.begin() {
            self.failed(&error);
            return;
        }
        self.report(Kind::TxnBegun);
        let complete = match self.records().await {
            Ok(()) => self.offsets().await,
            Err(error) => Err(error),
        };
        match complete {
            Ok(()) => self.commit().await,
            Err(error) => {
                self.failed(&error);
                self.abort().await;
            }
        }
        self.number += 1;
    }

    /// Writes the records of the transaction and waits for the outcomes; the first error, if any failed.
    async fn records(&self) -> Result<(), KrafkaError> {
        let mut handles = Vec::new();
        for place in in_transaction(&self.start, self.number) {
            let record = record(&self.out, &self.start, place.partition, place.sequence);
            handles.push((place, self.library.enqueue(record).await));
        }
        let mut first = Ok(());
        for (place, handle) in handles {
            let done = match handle {
                Ok(handle) => handle.await,
                Err(error) => Err(error),
            };
            match done {
                Ok(stored) => {
                    self.out.report(
                        event(Kind::Acked)
                            .at(stored.partition, place.sequence)
                            .offset(stored.offset),
                    );
                }
                Err(error) => {
                    let failed = event(Kind::SendError).at(place.partition, place.sequence);
                    self.out.report(failed.failed(describe(&error)));
                    first = first.and(Err(error));
                }
            }
        }
        first
    }

    /// Commits an offset of the group as part of the transaction, as a consume-transform-produce application does.
    async fn offsets(&self) -> Result<(), KrafkaError> {
        if self.start.group.is_empty() {
            return Ok(());
        }
        let partition = self.start.partitions.first().copied().unwrap_or_default();
        let read = TopicPartitionOffset::new(self.start.topic.as_str(), partition, self.number + 1);
        let group = ConsumerGroupMetadata::new(self.start.group.as_str(), NO_GENERATION, "", None);
        self.library.send_offsets(&[read], &group).await
    }

    /// Commits, until the transaction has ended; aborts where the library asks for it.
    async fn commit(&self) {
        loop {
            let Err(error) = self.library.commit().await else {
                return self.report(Kind::TxnCommitted);
            };
            self.failed(&error);
            if error.is_fatal() {
                return self
                    .out
                    .fatal(Some(describe(&error)), "the producer must be replaced");
            }
            if error.requires_abort() {
                return self.abort().await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn abort(&self) {
        loop {
            let Err(error) = self.library.abort().await else {
                return self.report(Kind::TxnAborted);
            };
            self.failed(&error);
            if error.is_fatal() {
                return self
                    .out
                    .fatal(Some(describe(&error)), "the producer must be replaced");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn failed(&self, error: &KrafkaError) {
        self.out.report(
            event(Kind::TxnError)
                .at(-1, self.number)
                .failed(describe(error)),
        );
    }

    fn report(&self, kind: Kind) {
        self.out.report(event(kind).at(-1, self.number));
    }
}

impl Client for Transactional {
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = self.working.await;
            let options = CloseOptions::new().timeout(self.out.flush_time(LEAST_FLUSH));
            closed(&self.out, self.library.close_with(options).await);
        })
    }
}
