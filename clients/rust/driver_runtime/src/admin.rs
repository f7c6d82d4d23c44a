//! The questions of the role admin (driver.proto, last paragraph).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures::future::BoxFuture;

use crate::contract::{Error, Kind, Start};
use crate::instance::Instance;
use crate::workload::Workload;
use crate::{NO_PARTITION, event};

/// The call of a question.
pub type Ask = Arc<dyn Fn(i32, String) -> BoxFuture<'static, Result<i64, Error>> + Send + Sync>;

/// A question: its name, and the call, which gets the partition, or for `create` a name of a topic that does not exist.
pub struct Question {
    pub name: &'static str,
    pub ask: Ask,
}

/// The questions of an instance, in turn.
pub struct AdminWorkload(Workload);

impl AdminWorkload {
    /// Starts to ask: `of_partitions` per partition, `of_cluster` beside these.
    pub fn start(out: &Instance, start: &Start, of_partitions: Vec<Question>, of_cluster: Vec<Question>) -> Self {
        let beside: &[i32] = if of_cluster.is_empty() { &[] } else { &[NO_PARTITION] };
        let (of_partitions, of_cluster) = (Arc::new(of_partitions), Arc::new(of_cluster));
        let (this, topic, created) = (out.clone(), start.topic.clone(), Arc::new(AtomicI64::new(0)));
        Self(Workload::start(out, start, beside, move |partition, sequences| {
            let all = if partition == NO_PARTITION { of_cluster.clone() } else { of_partitions.clone() };
            let sequence = sequences[0];
            let index = usize::try_from(sequence).unwrap_or(0) % all.len();
            let name = all[index].name;
            let absent = format!("{topic}-{}", created.fetch_add(1, Ordering::Relaxed));
            let answer = (all[index].ask)(partition, absent);
            this.report(event(Kind::Sent).at(partition, sequence).text(name));
            let this = this.clone();
            async move {
                this.report(match answer.await {
                    Ok(offset) => event(Kind::Listed).at(partition, sequence).text(name).offset(offset),
                    Err(error) => event(Kind::ListError).at(partition, sequence).text(name).failed(error),
                });
            }
        }))
    }

    /// Ends the workload and waits for its open calls.
    pub async fn stop(self) {
        self.0.stop().await;
        self.0.ended().await;
    }
}
