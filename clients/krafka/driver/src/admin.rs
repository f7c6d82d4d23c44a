//! The questions of the role admin.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use driver_runtime::contract::Error;
use driver_runtime::{
    AdminWorkload, Client, Instance, Question, Start, described, milliseconds, text_of,
};
use futures::future::BoxFuture;
use krafka::admin::{
    AdminClient, CreateTopicsOptions, DescribeClusterOptions, DescribeConsumerGroupsOptions,
    ListConsumerGroupOffsetsOptions, ListOffsetsOptions, NewTopic, OffsetSpec,
};
use krafka::consumer::TopicPartition;
use krafka::{Kafka, KrafkaError};

use crate::config::Config;
use crate::errors::describe;
use crate::producer::closed;

/// The time before now at which "timestamp" asks for the first record, which exists where the topic is fed.
const LOOKBACK: Duration = Duration::from_secs(1);

struct Admin {
    out: Instance,
    asker: Arc<Asker>,
    workload: AdminWorkload,
}

/// The library's client with what every question needs.
struct Asker {
    library: AdminClient,
    topic: String,
    group: String,
}

pub fn open(config: &Config, kafka: &Kafka, start: &Start, out: &Instance) -> Box<dyn Client> {
    let library = kafka.admin().metrics_push(false);
    let asker = Arc::new(Asker {
        library,
        topic: start.topic.clone(),
        group: start.group.clone(),
    });
    out.ready(text_of([
        ("request_timeout_ms", milliseconds(config.request_timeout)),
        ("retry_backoff_ms", milliseconds(config.retry_backoff)),
        ("refresh_ms", milliseconds(config.metadata_max_age)),
    ]));
    let of_partitions = vec![
        question(&asker, "latest", |asker, at, _| async move {
            asker.offset(at, OffsetSpec::Latest).await
        }),
        question(&asker, "earliest", |asker, at, _| async move {
            asker.offset(at, OffsetSpec::Earliest).await
        }),
        question(&asker, "timestamp", |asker, at, _| async move {
            asker.offset(at, looked_back()).await
        }),
        question(&asker, "committed", |asker, at, _| async move {
            asker.committed(at).await
        }),
    ];
    let create = || {
        question(&asker, "create", |asker, _, topic| async move {
            asker.create(&topic).await
        })
    };
    let of_cluster = vec![
        create(),
        question(&asker, "cluster", |asker, _, _| async move {
            asker.cluster().await
        }),
        create(),
        question(&asker, "group", |asker, _, _| async move {
            asker.described_group().await
        }),
    ];
    let workload = AdminWorkload::start(out, start, of_partitions, of_cluster);
    Box::new(Admin {
        out: out.clone(),
        asker,
        workload,
    })
}

fn question<F>(
    asker: &Arc<Asker>,
    name: &'static str,
    ask: impl Fn(Arc<Asker>, i32, String) -> F + Send + Sync + 'static,
) -> Question
where
    F: Future<Output = Result<i64, Error>> + Send + 'static,
{
    let asker = asker.clone();
    Question {
        name,
        ask: Arc::new(move |partition, topic| Box::pin(ask(asker.clone(), partition, topic))),
    }
}

impl Asker {
    async fn offset(&self, partition: i32, spec: OffsetSpec) -> Result<i64, Error> {
        let place = TopicPartition::new(self.topic.as_str(), partition);
        let mut found = self
            .library
            .list_offsets([(place.clone(), spec)], ListOffsetsOptions::default())
            .await
            .map_err(|error| describe(&error))?;
        let one = found
            .remove(&place)
            .unwrap_or_else(|| Err(absent(partition)));
        one.map(|found| found.offset)
            .map_err(|error| describe(&error))
    }

    async fn committed(&self, partition: i32) -> Result<i64, Error> {
        let place = TopicPartition::new(self.topic.as_str(), partition);
        let options = ListConsumerGroupOffsetsOptions::default().partitions(vec![place.clone()]);
        let mut found = self
            .library
            .list_consumer_group_offsets(self.group.as_str(), options)
            .await
            .map_err(|error| describe(&error))?;
        match found.remove(&place) {
            Some(Ok(found)) => Ok(found.offset.unwrap_or(-1)),
            Some(Err(error)) => Err(describe(&error)),
            None => Ok(-1),
        }
    }

    async fn create(&self, topic: &str) -> Result<i64, Error> {
        let wanted = NewTopic::new(topic, 1, 1).map_err(|error| describe(&error))?;
        let options = CreateTopicsOptions::default().validate_only(true);
        let done = self
            .library
            .create_topics([wanted], options)
            .await
            .map_err(|error| describe(&error))?;
        done.into_values()
            .try_for_each(|one| one)
            .map(|()| -1)
            .map_err(|error| describe(&error))
    }

    async fn cluster(&self) -> Result<i64, Error> {
        let done = self
            .library
            .describe_cluster(DescribeClusterOptions::default())
            .await;
        done.map(|_| -1).map_err(|error| describe(&error))
    }

    async fn described_group(&self) -> Result<i64, Error> {
        let options = DescribeConsumerGroupsOptions::default();
        let done = self
            .library
            .describe_consumer_groups([&self.group], options)
            .await;
        let done = done.map_err(|error| describe(&error))?;
        match done.into_values().next() {
            Some(Ok(_)) => Ok(-1),
            Some(Err(error)) => Err(describe(&error)),
            None => Err(described("absent", &"the answer has no such group", false)),
        }
    }
}

fn absent(partition: i32) -> KrafkaError {
    KrafkaError::illegal_state(format!("the answer has no partition {partition}"))
}

fn looked_back() -> OffsetSpec {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    OffsetSpec::Timestamp(
        i64::try_from(since.saturating_sub(LOOKBACK).as_millis()).unwrap_or_default(),
    )
}

impl Client for Admin {
    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.workload.stop().await;
            closed(&self.out, self.asker.library.close().await);
        })
    }
}
