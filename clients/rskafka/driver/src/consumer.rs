//! Reads every partition from its beginning, with a `StreamConsumer` each. A stream ends with its first error, and the
//! application builds another one, from its position on and on the same `PartitionClient`.

use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{Instance, Start, event};
use futures::StreamExt;
use futures::future::{BoxFuture, join_all};
use rskafka::client::Client;
use rskafka::client::consumer::{StartOffset, StreamConsumer, StreamConsumerBuilder};
use rskafka::client::error::Error;
use rskafka::client::partition::PartitionClient;
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::errors::describe;

/// The application's pause after an error: the library's first back-off.
const PAUSE: Duration = Duration::from_millis(100);

struct Consumer {
    readers: Vec<JoinHandle<()>>,
}

pub fn open(
    config: Config,
    library: Arc<Client>,
    start: Arc<Start>,
    out: Instance,
) -> Box<dyn driver_runtime::Client> {
    let fixed = [
        ("isolation", "read_committed"),
        ("offset_reset", "earliest"),
    ];
    let fixed = fixed.map(|(name, text)| (name, text.to_owned()));
    out.ready(
        fixed
            .into_iter()
            .chain(config.settings())
            .map(|(name, text)| (name.to_owned(), text))
            .collect(),
    );
    let config = Arc::new(config);
    let readers = start.partitions.iter().map(|&partition| {
        let reader = Reader {
            config: config.clone(),
            library: library.clone(),
            topic: start.topic.clone(),
            partition,
            out: out.clone(),
            next: StartOffset::Earliest,
        };
        let asked = out.asked().clone();
        out.spawn(async move {
            tokio::select! {
                () = reader.read() => {}
                () = asked.cancelled() => {}
            }
        })
    });
    Box::new(Consumer {
        readers: readers.collect(),
    })
}

struct Reader {
    config: Arc<Config>,
    library: Arc<Client>,
    topic: String,
    partition: i32,
    out: Instance,
    next: StartOffset,
}

impl Reader {
    async fn read(mut self) {
        let client = loop {
            match self
                .library
                .partition_client(
                    self.topic.clone(),
                    self.partition,
                    self.config.unknown_topic,
                )
                .await
            {
                Ok(client) => break Arc::new(client),
                Err(error) => self.failed(&error).await,
            }
        };
        loop {
            let mut stream = self.stream(client.clone());
            while let Some(item) = stream.next().await {
                match item {
                    Ok((read, _)) => {
                        self.next = StartOffset::At(read.offset + 1);
                        let value = read.record.value.unwrap_or_default();
                        self.out.received(self.partition, read.offset, &value).await;
                    }
                    Err(error) => self.failed(&error).await,
                }
            }
        }
    }

    fn stream(&self, client: Arc<PartitionClient>) -> StreamConsumer {
        let mut builder = StreamConsumerBuilder::new(client, self.next);
        if let Some(wait) = self.config.max_wait_ms {
            builder = builder.with_max_wait_ms(wait);
        }
        if let Some(size) = self.config.batch_size.start {
            builder = builder.with_min_batch_size(size);
        }
        if let Some(size) = self.config.batch_size.end {
            builder = builder.with_max_batch_size(size);
        }
        builder.build()
    }

    async fn failed(&self, error: &Error) {
        self.out.report(
            event(Kind::ReceiveError)
                .partition(self.partition)
                .failed(describe(error)),
        );
        tokio::time::sleep(PAUSE).await;
    }
}

impl driver_runtime::Client for Consumer {
    /// The library has no close.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            join_all(self.readers).await;
        })
    }
}
