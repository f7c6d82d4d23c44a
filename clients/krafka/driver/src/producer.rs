//! Writes records to every partition, or with every key. A record is enqueued, and its handle has the outcome.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{
    Client, Instance, NO_PARTITION, Refusal, Start, Workload, event, key, milliseconds, value,
};
use futures::future::BoxFuture;
use krafka::producer::{Acks, Producer};
use krafka::{CloseOptions, Kafka, KrafkaError, Record};
use tokio::sync::oneshot;

use crate::config::Config;
use crate::errors::{describe, refused};

struct Writer {
    out: Instance,
    library: Arc<Producer>,
    workload: Workload,
}

pub async fn open(
    config: &Config,
    kafka: &Kafka,
    start: Arc<Start>,
    out: Instance,
) -> Result<Box<dyn Client>, Refusal> {
    let library = config
        .producer(kafka)
        .build()
        .await
        .map_err(|error| refused(&error))?;
    let library = Arc::new(library);
    out.ready(settings(config));
    let (to, of, writing) = (out.clone(), start.clone(), library.clone());
    let turns = Turns::default();
    let workload = Workload::start(&out, &start, &[], move |partition, sequences| {
        let records: Vec<(i64, Record)> = sequences
            .into_iter()
            .map(|sequence| (sequence, record(&to, &of, partition, sequence)))
            .collect();
        let (to, writing) = (to.clone(), writing.clone());
        let (before, turn) = turns.next(partition);
        async move {
            let _ = before.await;
            let mut handles = Vec::with_capacity(records.len());
            for (sequence, record) in records {
                handles.push((sequence, writing.enqueue(record).await));
            }
            drop(turn);
            for (sequence, handle) in handles {
                let done = match handle {
                    Ok(handle) => handle.await,
                    Err(error) => Err(error),
                };
                to.report(match done {
                    Ok(stored) => event(Kind::Acked)
                        .at(stored.partition, sequence)
                        .offset(stored.offset),
                    Err(error) => event(Kind::SendError)
                        .at(partition, sequence)
                        .failed(describe(&error)),
                });
            }
        }
    });
    Ok(Box::new(Writer {
        out,
        library,
        workload,
    }))
}

/// The order in which the operations of a partition are enqueued: that in which they began.
///
/// The library keeps the order of calls that have returned (`Producer::enqueue`, 0.28.1); several that wait for
/// metadata at the same time return in any order.
#[derive(Clone, Default)]
struct Turns {
    last: Arc<Mutex<HashMap<i32, oneshot::Receiver<()>>>>,
}

impl Turns {
    /// Returns what ends when the operation before it has been enqueued, and what ends the turn of this one when
    /// it is dropped.
    fn next(&self, partition: i32) -> (oneshot::Receiver<()>, oneshot::Sender<()>) {
        let (turn, ended) = oneshot::channel();
        let mut last = self.last.lock().expect("no holder panics");
        let before = last
            .insert(partition, ended)
            .unwrap_or_else(|| oneshot::channel().1);
        (before, turn)
    }
}

/// Reports a record as sent and builds it.
pub fn record(out: &Instance, start: &Start, partition: i32, sequence: i64) -> Record {
    let clock = out.sent(partition, sequence);
    let record = Record::new(
        start.topic.as_str(),
        value(out.name(), partition, sequence, clock),
    );
    match key(start, sequence) {
        Some(key) => record.key(key.to_owned()),
        None if partition == NO_PARTITION => record,
        None => record.partition(partition),
    }
}

/// The effective settings of a writer.
pub fn settings(config: &Config) -> HashMap<String, String> {
    let acks = match config.acks {
        Acks::All => "all",
        Acks::Leader => "1",
        _ => "0",
    };
    driver_runtime::text_of([
        ("acks", acks.into()),
        ("idempotence", config.idempotent.to_string()),
        ("compression", config.compression.0.into()),
        ("retries", i32::MAX.to_string()), // only the time ends them
        ("retry_backoff_ms", milliseconds(config.retry_backoff)),
        ("longest_backoff_ms", "1000".into()), // producer/retry.rs, MAX_BACKOFF
        ("request_timeout_ms", milliseconds(config.request_timeout)),
        ("delivery_timeout_ms", milliseconds(config.delivery_timeout)),
        (
            "linger_ms",
            milliseconds(config.linger.unwrap_or(Duration::from_millis(5))),
        ),
        ("refresh_ms", milliseconds(config.metadata_max_age)),
        ("max_in_flight", "5".into()),
    ])
}

impl Client for Writer {
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.workload.stop().await;
            let options = CloseOptions::new().timeout(self.out.flush_time());
            closed(&self.out, self.library.close_with(options).await);
            self.workload.ended().await;
            self.workload.report_skipped();
        })
    }
}

/// Reports what the library says when it is closed.
pub fn closed(out: &Instance, done: Result<(), KrafkaError>) {
    if let Err(error) = done {
        out.notice(format!("close: {error}"));
    }
}
