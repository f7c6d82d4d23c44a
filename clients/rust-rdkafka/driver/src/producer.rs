//! Writes records to every partition, or with every key: a `FutureProducer`, whose future has the outcome.

use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{Client, Instance, NO_PARTITION, Refusal, Start, Workload, event, key, value};
use futures::future::{BoxFuture, join_all};
use rdkafka::producer::future_producer::OwnedDeliveryResult;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, library};
use crate::context::Notices;
use crate::errors::{describe, of_code, refused};

/// The wrapper tries again for this long where librdkafka's queue is full; as its examples have it.
const QUEUE_TIMEOUT: Duration = Duration::ZERO;

pub type Library = FutureProducer<Notices>;

struct Writer {
    out: Instance,
    library: Library,
    workload: Workload,
    /// Cancelled when what is still under way is given up.
    dropped: CancellationToken,
}

/// Constructs a producer and reports its effective settings.
pub fn build(
    start: &Start,
    out: &Instance,
    role: &[(&str, &str)],
) -> Result<(Library, Notices), Refusal> {
    let config = Config::read(start, role)?;
    let notices = Notices::new(out, None);
    let library = config
        .client
        .create_with_context(notices.clone())
        .map_err(|error| refused(&library(), &error))?;
    out.ready(config.effective);
    Ok((library, notices))
}

pub fn open(start: &Arc<Start>, out: &Instance) -> Result<Box<dyn Client>, Refusal> {
    let (library, notices) = build(start, out, &[])?;
    out.spawn(end_if_broken(library.clone(), notices));
    let dropped = CancellationToken::new();
    let (to, of, writing, lost) = (out.clone(), start.clone(), library.clone(), dropped.clone());
    let workload = Workload::start(out, start, &[], move |partition, sequences| {
        let records: Vec<Written> = sequences
            .into_iter()
            .map(|sequence| Written::new(&to, &of, partition, sequence))
            .collect();
        let (to, writing, lost) = (to.clone(), writing.clone(), lost.clone());
        async move {
            let sending = join_all(records.iter().map(|record| async {
                record.report(&to, writing.send(record.in_full(), QUEUE_TIMEOUT).await);
            }));
            tokio::select! {
                _ = sending => {}
                () = lost.cancelled() => {}
            }
        }
    });
    Ok(Box::new(Writer {
        out: out.clone(),
        library,
        workload,
        dropped,
    }))
}

/// Ends the instance once librdkafka says that the producer cannot be used any more.
async fn end_if_broken(library: Library, notices: Notices) {
    tokio::select! {
        () = notices.broken.cancelled() => {}
        () = notices.out.asked().cancelled() => return,
    }
    if let Some((code, text)) = library.client().fatal_error() {
        notices.out.fatal(
            Some(of_code(code, &text, false)),
            "librdkafka reported a fatal error",
        );
    }
}

/// A record of the workload.
pub struct Written {
    topic: String,
    partition: i32,
    sequence: i64,
    key: Option<String>,
    value: String,
}

impl Written {
    /// Reports a record as sent and builds it.
    pub fn new(out: &Instance, start: &Start, partition: i32, sequence: i64) -> Self {
        let clock = out.sent(partition, sequence);
        Self {
            topic: start.topic.clone(),
            partition,
            sequence,
            key: key(start, sequence).map(str::to_owned),
            value: value(out.name(), partition, sequence, clock),
        }
    }

    /// The record in the library's form.
    pub fn in_full(&self) -> FutureRecord<'_, String, String> {
        let record = FutureRecord::to(&self.topic).payload(&self.value);
        match &self.key {
            Some(key) => record.key(key),
            None if self.partition == NO_PARTITION => record,
            None => record.partition(self.partition),
        }
    }

    /// Reports the outcome.
    pub fn report(&self, out: &Instance, done: OwnedDeliveryResult) {
        out.report(match done {
            Ok(stored) => {
                let (partition, offset) = place(&stored);
                event(Kind::Acked)
                    .at(partition, self.sequence)
                    .offset(offset)
            }
            Err((error, _)) => event(Kind::SendError)
                .at(self.partition, self.sequence)
                .failed(describe(&error)),
        });
    }
}

#[cfg(feature = "delivery")]
fn place(stored: &rdkafka::producer::future_producer::Delivery) -> (i32, i64) {
    (stored.partition, stored.offset)
}

#[cfg(not(feature = "delivery"))]
fn place(stored: &(i32, i64)) -> (i32, i64) {
    *stored
}

/// Flushes a producer, which blocks.
pub async fn flush(out: &Instance, library: Library) {
    let limit = out.flush_time();
    match spawn_blocking(move || library.flush(limit)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => out.notice(format!("flush: {error}")),
        Err(error) => out.notice(format!("flush: {error}")),
    }
}

/// Drops a producer, which waits for its thread.
pub async fn dispose(library: Library) {
    let _ = spawn_blocking(move || drop(library)).await;
}

impl Client for Writer {
    /// What is still under way after the flush is given up with the producer.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.workload.stop().await;
            flush(&self.out, self.library.clone()).await;
            self.dropped.cancel();
            self.workload.ended().await;
            self.workload.report_skipped();
            drop(self.workload);
            dispose(self.library).await;
        })
    }
}
