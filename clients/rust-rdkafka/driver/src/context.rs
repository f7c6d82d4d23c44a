//! What the wrapper reports through its contexts: errors of the client as a whole, log lines, assignments.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use driver_runtime::contract::Kind;
use driver_runtime::{Instance, event};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::{ClientContext, Offset, TopicPartitionList};
use tokio_util::sync::CancellationToken;

use crate::errors::describe;

/// The context of an instance.
#[derive(Clone)]
pub struct Notices {
    pub out: Instance,
    /// Cancelled when the client says that it cannot be used any more.
    pub broken: CancellationToken,
    /// Of a member of a group.
    pub commits: Option<Arc<Commits>>,
}

impl Notices {
    pub fn new(out: &Instance, commits: Option<Arc<Commits>>) -> Self {
        Self {
            out: out.clone(),
            broken: CancellationToken::new(),
            commits,
        }
    }
}

impl ClientContext for Notices {
    fn log(&self, _: RDKafkaLogLevel, facility: &str, message: &str) {
        self.out.notice(format!("log: {facility} {message}"));
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.out
            .notice(format!("{}: {reason}", describe(&error).r#type));
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal) {
            self.broken.cancel();
        }
    }
}

impl ConsumerContext for Notices {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let Some(commits) = &self.commits else { return };
        match rebalance {
            Rebalance::Assign(given) => {
                self.out
                    .report(event(Kind::Assigned).partitions(partitions_of(given)));
            }
            Rebalance::Revoke(taken) => {
                if !consumer.assignment_lost() && !self.out.asked().is_cancelled() {
                    commits.give_up(consumer);
                }
                commits.revoked(&partitions_of(taken));
            }
            Rebalance::Error(error) => self.out.notice(format!("rebalance: {error}")),
        }
    }

    fn commit_callback(&self, result: KafkaResult<()>, offsets: &TopicPartitionList) {
        self.out.notice(format!(
            "commit_callback: {result:?}, {} offsets",
            offsets.count()
        ));
    }
}

fn partitions_of(list: &TopicPartitionList) -> Vec<i32> {
    list.elements().iter().map(|one| one.partition()).collect()
}

/// Offsets that were handled, and those whose commit the library reported as done.
pub struct Commits {
    out: Instance,
    topic: String,
    offsets: Mutex<Offsets>,
}

#[derive(Default)]
struct Offsets {
    next: BTreeMap<i32, i64>,
    done: BTreeMap<i32, i64>,
}

impl Commits {
    pub fn new(out: &Instance, topic: &str) -> Self {
        Self {
            out: out.clone(),
            topic: topic.to_owned(),
            offsets: Mutex::default(),
        }
    }

    fn offsets(&self) -> MutexGuard<'_, Offsets> {
        self.offsets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the next offset of a partition.
    pub fn note(&self, partition: i32, offset: i64) {
        self.offsets().next.insert(partition, offset);
    }

    /// Commits what was handled since the last commit, and reports the result; it blocks until the library has it.
    /// An asynchronous commit would have none: the wrapper calls no `commit_callback` for it since 0.36.0.
    pub fn commit<C: Consumer<Notices>>(&self, consumer: &C) {
        let new = self.new_offsets();
        if new.count() == 0 {
            return;
        }
        if let Err(error) = consumer.commit(&new, CommitMode::Sync) {
            self.out
                .report(event(Kind::CommitError).failed(describe(&error)));
            return;
        }
        for one in new.elements() {
            if let Offset::Offset(offset) = one.offset() {
                self.offsets().done.insert(one.partition(), offset);
                self.out.report(
                    event(Kind::Committed)
                        .partition(one.partition())
                        .offset(offset),
                );
            }
        }
    }

    fn new_offsets(&self) -> TopicPartitionList {
        let mut new = TopicPartitionList::new();
        let offsets = self.offsets();
        for (&partition, &offset) in offsets
            .next
            .iter()
            .filter(|(at, offset)| offsets.done.get(at) != Some(offset))
        {
            let added = new.add_partition_offset(&self.topic, partition, Offset::Offset(offset));
            added.unwrap_or_else(|error| self.out.notice(format!("offset {offset}: {error}")));
        }
        new
    }

    /// Commits before another member takes over. The wrapper reports the rebalance on a thread of the runtime.
    fn give_up(&self, consumer: &BaseConsumer<Notices>) {
        tokio::task::block_in_place(|| self.commit(consumer));
    }

    fn revoked(&self, partitions: &[i32]) {
        for partition in partitions {
            let mut offsets = self.offsets();
            offsets.next.remove(partition);
            offsets.done.remove(partition);
        }
        self.out
            .report(event(Kind::Revoked).partitions(partitions.to_vec()));
    }
}
