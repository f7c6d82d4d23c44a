//! Operations at intervals, with at most `max_in_flight` of them open on each partition or key.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::contract::Start;
use crate::instance::Instance;
use crate::series::{Series, series_of};
use crate::ticker::Ticker;

/// The running operations of an instance (driver.proto, Start and Workloads).
pub struct Workload {
    out: Instance,
    done: CancellationToken,
    tickers: TaskTracker,
    calls: TaskTracker,
    limits: Vec<Arc<Limit>>,
}

struct Limit {
    open: Arc<Semaphore>,
    skipped: AtomicU64,
}

impl Limit {
    fn new(most: i32) -> Self {
        let most = usize::try_from(most).unwrap_or(1).max(1);
        Self { open: Arc::new(Semaphore::new(most)), skipped: AtomicU64::new(0) }
    }

    /// Counts an operation; none at the limit, which counts as a skipped one.
    fn begin(&self) -> Option<OwnedSemaphorePermit> {
        let permit = self.open.clone().try_acquire_owned().ok();
        if permit.is_none() {
            self.skipped.fetch_add(1, Ordering::Relaxed);
        }
        permit
    }
}

impl Workload {
    /// Starts a workload. `burst` is called with operations that begin together; it reports them as sent, and the
    /// future that it returns ends when they have ended. `beside` are pseudo-partitions that have operations, too.
    pub fn start<B, F>(out: &Instance, start: &Start, beside: &[i32], burst: B) -> Self
    where
        B: Fn(i32, Vec<i64>) -> F + Clone + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let alone = beside.iter().map(|&partition| Series { partition, first: 0, step: 1, batch: 1 });
        let mut this = Self {
            out: out.clone(),
            done: CancellationToken::new(),
            tickers: TaskTracker::new(),
            calls: TaskTracker::new(),
            limits: Vec::new(),
        };
        for series in series_of(start).into_iter().chain(alone) {
            let limit = Arc::new(Limit::new(start.max_in_flight));
            this.limits.push(limit.clone());
            let ticking = this.tick(series, limit, burst.clone());
            out.spawn(this.tickers.track_future(ticking));
        }
        this
    }

    fn tick<B, F>(&self, series: Series, limit: Arc<Limit>, burst: B) -> impl Future<Output = ()> + use<B, F>
    where
        B: Fn(i32, Vec<i64>) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        let (out, done, calls) = (self.out.clone(), self.done.clone(), self.calls.clone());
        async move {
            let mut ticker = Ticker::default();
            let mut next = series.first;
            while ticker.tick(&done, out.interval_of(series.partition)).await {
                let permits: Vec<_> = std::iter::from_fn(|| limit.begin()).take(series.batch).collect();
                if permits.is_empty() {
                    continue;
                }
                let sequences: Vec<i64> = permits
                    .iter()
                    .scan(next, |at, _| {
                        let one = *at;
                        *at += series.step;
                        Some(one)
                    })
                    .collect();
                next = sequences[sequences.len() - 1] + series.step;
                let operations = burst(series.partition, sequences);
                out.spawn(calls.track_future(async move {
                    operations.await;
                    drop(permits);
                }));
            }
        }
    }

    /// Ends the workload. It returns when no operation begins any more; open ones go on.
    pub async fn stop(&self) {
        self.done.cancel();
        self.tickers.close();
        self.tickers.wait().await;
    }

    /// Waits for the open operations.
    pub async fn ended(&self) {
        self.calls.close();
        self.calls.wait().await;
    }

    /// Reports, per partition or key, how often no operation began.
    pub fn report_skipped(&self) {
        for (index, limit) in self.limits.iter().enumerate() {
            let skipped = limit.skipped.load(Ordering::Relaxed);
            if skipped > 0 {
                self.out.notice(format!("partition index {index}: {skipped} ticks were skipped"));
            }
        }
    }
}
