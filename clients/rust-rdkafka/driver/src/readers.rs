//! A consumer that is assigned its partitions, and a member of a group that commits what it handled: a
//! `StreamConsumer`.

use std::sync::Arc;
use std::time::Duration;

use driver_runtime::contract::Kind;
use driver_runtime::{Client, Instance, Refusal, Start, event};
use futures::future::BoxFuture;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::{Message, Offset, TopicPartitionList};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use crate::config::{Config, library};
use crate::context::{Commits, Notices};
use crate::errors::{describe, refused};

/// The interval of commits, as in librdkafka's own driver.
const COMMIT: Duration = Duration::from_secs(1);

type Library = Arc<StreamConsumer<Notices>>;

struct Reader {
    library: Library,
    polling: JoinHandle<()>,
    commits: TaskTracker,
}

pub fn open(start: Arc<Start>, out: Instance) -> Result<Box<dyn Client>, Refusal> {
    let member = start.role == "group";
    let group = if start.group.is_empty() {
        &start.client_id
    } else {
        &start.group
    };
    let mut role = vec![
        ("group.id", group.as_str()),
        ("enable.auto.commit", "false"),
    ];
    if member {
        role.push(("auto.offset.reset", "earliest"));
    }
    let config = Config::read(&start, &role)?;
    let commits = member.then(|| Arc::new(Commits::new(&out, &start.topic)));
    let library: Library = config
        .client
        .create_with_context(Notices::new(&out, commits.clone()))
        .map(Arc::new)
        .map_err(|error| refused(&library(), &error))?;
    out.ready(config.effective);
    begin(&library, &start, &out).map_err(|error| Refusal::Failed(describe(&error)))?;
    let running = TaskTracker::new();
    let polling = Polling {
        out: out.clone(),
        library: library.clone(),
        commits,
        running: running.clone(),
    };
    let polling = out.spawn(polling.run());
    Ok(Box::new(Reader {
        library,
        polling,
        commits: running,
    }))
}

fn begin(library: &Library, start: &Start, out: &Instance) -> KafkaResult<()> {
    if start.role == "group" {
        return library.subscribe(&[&start.topic]);
    }
    let mut given = TopicPartitionList::new();
    for &partition in &start.partitions {
        given.add_partition_offset(&start.topic, partition, Offset::Beginning)?;
    }
    library.assign(&given)?;
    out.report(event(Kind::Assigned).partitions(start.partitions.clone()));
    Ok(())
}

struct Polling {
    out: Instance,
    library: Library,
    /// Of a member of a group.
    commits: Option<Arc<Commits>>,
    /// Commits under way.
    running: TaskTracker,
}

impl Polling {
    async fn run(self) {
        let asked = self.out.asked().clone();
        let mut due = Instant::now() + COMMIT;
        loop {
            tokio::select! {
                biased;
                () = asked.cancelled() => return,
                () = tokio::time::sleep_until(due), if self.commits.is_some() => {
                    self.commit();
                    due = Instant::now() + COMMIT;
                }
                read = self.library.recv() => self.report(read).await,
            }
        }
    }

    async fn report(&self, read: Result<impl Message, KafkaError>) {
        match read {
            Ok(record) => {
                let value = record.payload().unwrap_or_default();
                self.out
                    .received(record.partition(), record.offset(), value)
                    .await;
                if let Some(commits) = &self.commits {
                    commits.note(record.partition(), record.offset() + 1);
                }
            }
            Err(KafkaError::PartitionEOF(_)) => {}
            // The wrapper has no partition for it, and gives errors of the client as a whole here, too.
            Err(error) => self
                .out
                .report(event(Kind::ReceiveError).failed(describe(&error))),
        }
    }

    /// Commits on a thread of its own, while this task goes on reading.
    fn commit(&self) {
        if let Some(commits) = self.commits.clone() {
            let library = self.library.clone();
            self.running
                .spawn_blocking(move || commits.commit(library.as_ref()));
        }
    }
}

impl Client for Reader {
    /// Dropping the last reference leaves the group, and blocks until the library has.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = self.polling.await;
            self.commits.close();
            self.commits.wait().await;
            let library = self.library;
            let _ = spawn_blocking(move || drop(library)).await;
        })
    }
}
