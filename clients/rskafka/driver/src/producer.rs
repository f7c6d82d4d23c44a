//! Writes records to every partition, through a `PartitionClient` each. Records that begin together are one call.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use driver_runtime::contract::Kind;
use driver_runtime::{Instance, Start, Workload, event, value};
use futures::future::BoxFuture;
use rskafka::chrono::{DateTime, Utc};
use rskafka::client::Client;
use rskafka::client::error::Error;
use rskafka::client::partition::{Compression, PartitionClient, UnknownTopicHandling};
use rskafka::record::Record;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::errors::describe;

/// The time for records under way when the instance has to end. The library has no close, and may wait for ever.
const FLUSH: Duration = Duration::from_secs(2);

struct Partition {
    number: i32,
    client: OnceCell<PartitionClient>,
}

struct Writer {
    library: Arc<Client>,
    topic: String,
    unknown_topic: UnknownTopicHandling,
    partitions: HashMap<i32, Partition>,
}

impl Writer {
    async fn produce(
        &self,
        partition: &Partition,
        records: Vec<Record>,
    ) -> Result<Vec<i64>, Error> {
        let open = || {
            self.library
                .partition_client(self.topic.clone(), partition.number, self.unknown_topic)
        };
        let client = partition.client.get_or_try_init(open).await?;
        client.produce(records, Compression::NoCompression).await
    }
}

struct Producer {
    workload: Workload,
    dropped: CancellationToken,
}

pub fn open(
    config: Config,
    library: Arc<Client>,
    start: Arc<Start>,
    out: Instance,
) -> Box<dyn driver_runtime::Client> {
    let fixed = [
        ("acks", "all"),
        ("idempotence", "false"),
        ("compression", "none"),
        ("linger_ms", "0"),
    ];
    let fixed = fixed.map(|(name, text)| (name, text.to_owned()));
    out.ready(
        fixed
            .into_iter()
            .chain(config.settings())
            .map(|(name, text)| (name.to_owned(), text))
            .collect(),
    );
    let of = |&number: &i32| {
        (
            number,
            Partition {
                number,
                client: OnceCell::new(),
            },
        )
    };
    let writer = Arc::new(Writer {
        library,
        topic: start.topic.clone(),
        unknown_topic: config.unknown_topic,
        partitions: start.partitions.iter().map(of).collect(),
    });
    let dropped = CancellationToken::new();
    let (to, lost) = (out.clone(), dropped.clone());
    let workload = Workload::start(&out, &start, &[], move |partition, sequences| {
        let records = sequences
            .iter()
            .map(|&sequence| record(&to, partition, sequence))
            .collect();
        let (to, writer, lost) = (to.clone(), writer.clone(), lost.clone());
        async move {
            tokio::select! {
                done = writer.produce(&writer.partitions[&partition], records) => report(&to, partition, &sequences, done),
                () = lost.cancelled() => {}
            }
        }
    });
    Box::new(Producer { workload, dropped })
}

/// Reports a record as sent and builds it.
fn record(out: &Instance, partition: i32, sequence: i64) -> Record {
    let clock = out.sent(partition, sequence);
    let text = value(out.name(), partition, sequence, clock);
    Record {
        key: None,
        value: Some(text.into_bytes()),
        headers: BTreeMap::new(),
        timestamp: now(),
    }
}

fn now() -> DateTime<Utc> {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis())
        .ok()
        .and_then(DateTime::from_timestamp_millis)
        .unwrap_or_default()
}

/// Reports the outcome of a call for each of its records.
fn report(out: &Instance, partition: i32, sequences: &[i64], done: Result<Vec<i64>, Error>) {
    for (index, &sequence) in sequences.iter().enumerate() {
        out.report(match &done {
            Ok(offsets) => event(Kind::Acked)
                .at(partition, sequence)
                .offset(offsets.get(index).copied().unwrap_or(-1)),
            Err(error) => event(Kind::SendError)
                .at(partition, sequence)
                .failed(describe(error)),
        });
    }
}

impl driver_runtime::Client for Producer {
    /// What is still under way after the time for a flush is dropped.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.workload.stop().await;
            let _ = tokio::time::timeout(FLUSH, self.workload.ended()).await;
            self.dropped.cancel();
            self.workload.ended().await;
            self.workload.report_skipped();
        })
    }
}
