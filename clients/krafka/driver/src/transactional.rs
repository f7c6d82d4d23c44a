//! Writes records in one transaction per interval (`driver_runtime::in_transaction`), as the library's example does.

use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{Client, Instance, Refusal, Start, Ticker, event, in_transaction};
use futures::future::BoxFuture;
use krafka::producer::{TopicPartitionOffset, TransactionState, TransactionalProducer};
use krafka::{CloseOptions, Kafka, KrafkaError};
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::errors::{describe, refused};
use crate::member::Member;
use crate::producer::{closed, record, settings};

/// The pause before a failed call is repeated, in addition to the library's own attempts.
const PAUSE: Duration = Duration::from_millis(100);

struct Transactional {
    out: Instance,
    library: Arc<TransactionalProducer>,
    member: Option<Arc<Member>>,
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
    let member = if start.group.is_empty() {
        None
    } else {
        let building = Member::build(config, kafka, &start);
        Some(Arc::new(building.await.map_err(|error| refused(&error))?))
    };
    out.ready(settings(config));
    let work = Work {
        out: out.clone(),
        library: library.clone(),
        member: member.clone(),
        start,
        number: 0,
    };
    let working = out.spawn(work.run());
    Ok(Box::new(Transactional {
        out,
        library,
        member,
        working,
    }))
}

struct Work {
    out: Instance,
    library: Arc<TransactionalProducer>,
    member: Option<Arc<Member>>,
    start: Arc<Start>,
    /// Of the transaction.
    number: i64,
}

impl Work {
    async fn run(mut self) {
        let (asked, mut ticker) = (self.out.asked().clone(), Ticker::default());
        while ticker.tick(&asked, self.out.interval()).await {
            if let Err(error) = self.transaction().await {
                self.failed(&error);
                self.abort(error).await;
            }
            self.number += 1;
        }
    }

    async fn transaction(&self) -> Result<(), KrafkaError> {
        self.library.begin()?;
        self.report(Kind::TxnBegun);
        self.records().await?;
        if let Some(member) = &self.member {
            let next = self.number + 1;
            let partition = self.start.partitions.first().copied().unwrap_or_default();
            let read = TopicPartitionOffset::new(self.start.topic.as_str(), partition, next);
            let group = tokio::select! {
                group = member.metadata() => group?,
                () = self.out.asked().cancelled() => return Ok(()),
            };
            self.library.send_offsets(&[read], &group).await?;
        }
        self.out.handle().await;
        self.commit().await
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
                    let acked = event(Kind::Acked).at(stored.partition, place.sequence);
                    self.out.report(acked.offset(stored.offset));
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

    /// Commits. Only another commit is allowed while nobody knows what became of the last one.
    async fn commit(&self) -> Result<(), KrafkaError> {
        loop {
            let Err(error) = self.library.commit().await else {
                self.report(Kind::TxnCommitted);
                return Ok(());
            };
            if self.library.state() != TransactionState::CommitUnknown {
                return Err(error);
            }
            self.failed(&error);
            if !self.pause().await {
                return Ok(());
            }
        }
    }

    /// Aborts after an error, and repeats that as the library says; after an error that is final the instance ends.
    async fn abort(&self, mut error: KrafkaError) {
        loop {
            if error.is_fatal() || self.library.state() == TransactionState::Fatal {
                let text = "the producer must be replaced";
                return self.out.fatal(Some(describe(&error)), text);
            }
            match self.library.abort().await {
                Ok(()) => return self.report(Kind::TxnAborted),
                Err(again) => error = again,
            }
            self.failed(&error);
            if !self.pause().await {
                return;
            }
        }
    }

    /// Returns false once the instance has to end.
    async fn pause(&self) -> bool {
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => true,
            () = self.out.asked().cancelled() => false,
        }
    }

    fn failed(&self, error: &KrafkaError) {
        let failed = event(Kind::TxnError).at(-1, self.number);
        self.out.report(failed.failed(describe(error)));
    }

    fn report(&self, kind: Kind) {
        self.out.report(event(kind).at(-1, self.number));
    }
}

impl Client for Transactional {
    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let limit = self.out.flush_time();
            // An open transaction may end.
            if tokio::time::timeout(limit, &mut self.working)
                .await
                .is_err()
            {
                self.working.abort();
            }
            let options = CloseOptions::new().timeout(limit);
            let (library, member) = (self.library.close_with(options), async {
                match &self.member {
                    Some(member) => member.close(options).await,
                    None => Ok(()),
                }
            });
            let (library, member) = tokio::join!(library, member);
            closed(&self.out, library);
            closed(&self.out, member);
        })
    }
}
