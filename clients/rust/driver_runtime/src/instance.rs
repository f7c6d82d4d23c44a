//! One running client: its lifecycle here, its events in `reports`, of which exactly one is the last.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::contract::{Error, Kind, Start};
use crate::outbox::Outbox;
use crate::series::missing_workload;
use crate::{Client, Library, Refusal, event};

/// The least time for records under way when the instance has to end.
const LEAST_FLUSH: Duration = Duration::from_millis(500);

/// One running client.
#[derive(Clone)]
pub struct Instance(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub name: String,
    pub outbox: Outbox,
    pub ended: Mutex<bool>,
    pub notices: AtomicU32,
    /// Milliseconds that the application needs for the next record.
    pub handler_ms: AtomicI32,
    interval_ms: AtomicI32,
    deadline_ms: AtomicI32,
    bystander: i32,
    bystander_ms: i32,
    client: Mutex<Option<Box<dyn Client>>>,
    opened: CancellationToken,
    /// Closing was asked for.
    pub asked: CancellationToken,
    closing: AtomicBool,
    closed: CancellationToken,
}

impl Instance {
    pub(crate) fn new(start: &Start, outbox: Outbox) -> Self {
        Self(Arc::new(Inner {
            name: start.instance.clone(),
            outbox,
            ended: Mutex::new(false),
            notices: AtomicU32::new(0),
            handler_ms: AtomicI32::new(0),
            interval_ms: AtomicI32::new(start.interval_ms),
            deadline_ms: AtomicI32::new(0),
            bystander: start.bystander,
            bystander_ms: start.bystander_ms,
            client: Mutex::new(None),
            opened: CancellationToken::new(),
            asked: CancellationToken::new(),
            closing: AtomicBool::new(false),
            closed: CancellationToken::new(),
        }))
    }

    /// The instance's unique name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Cancelled when the instance has to end.
    pub fn asked(&self) -> &CancellationToken {
        &self.0.asked
    }

    /// The present time between operations.
    pub fn interval(&self) -> Duration {
        whole_ms(self.0.interval_ms.load(Ordering::Relaxed).max(1))
    }

    /// The present interval of one partition: the bystander's is longer (driver.proto, `bystander_ms`).
    pub fn interval_of(&self, partition: i32) -> Duration {
        let least = if partition == self.0.bystander { self.0.bystander_ms } else { 0 };
        self.interval().max(whole_ms(least))
    }

    /// The time that a final flush may take: two fifths of the deadline for closing, and at least half a second.
    pub fn flush_time(&self) -> Duration {
        LEAST_FLUSH.max(whole_ms(self.0.deadline_ms.load(Ordering::Relaxed)) * 2 / 5)
    }

    pub(crate) fn set_interval(&self, interval_ms: i32) {
        self.0.interval_ms.store(interval_ms, Ordering::Relaxed);
    }

    pub(crate) fn set_handler(&self, handler_ms: i32) {
        self.0.handler_ms.store(handler_ms, Ordering::SeqCst);
    }

    /// Whether the last event was reported.
    pub(crate) fn ended(&self) -> bool {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` on a task of its own. A panic of the library in it ends the instance; others in the process go on.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> tokio::task::JoinHandle<()> {
        let out = self.clone();
        tokio::spawn(async move {
            if let Err(cause) = AssertUnwindSafe(work).catch_unwind().await {
                out.panicked(cause.as_ref());
            }
        })
    }

    fn panicked(&self, cause: &(dyn Any + Send)) {
        let text = cause.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_default();
        let error = Error { code: -1, r#type: "panic".into(), text, ..Default::default() };
        self.fatal(Some(error), "the library panicked");
    }

    /// Builds the client.
    pub(crate) async fn open(self, library: &'static Library, start: Arc<Start>) {
        let opening = AssertUnwindSafe(self.opening(library, start)).catch_unwind();
        let opened = tokio::select! {
            opened = opening => opened,
            () = self.0.asked.cancelled() => Ok(Ok(None)),
        };
        match opened {
            Ok(Ok(client)) => *self.0.client.lock().unwrap_or_else(PoisonError::into_inner) = client,
            Ok(Err(Refusal::Unsupported(text))) => self.report(event(Kind::Unsupported).text(text)),
            Ok(Err(Refusal::Failed(error))) => self.fatal(Some(error), "the library could not be constructed"),
            Err(cause) => self.panicked(cause.as_ref()),
        }
        self.0.opened.cancel();
    }

    async fn opening(&self, library: &'static Library, start: Arc<Start>) -> Result<Option<Box<dyn Client>>, Refusal> {
        let (name, role) = (format!("{} {}", library.family, library.version), start.role.as_str());
        if !library.roles.contains(&role) {
            let has = library.roles.join(", ");
            return Err(Refusal::of(format!("{name} has no role {role:?}; it has {has}")));
        }
        if let Some(reason) = missing_workload(&start, library.missing) {
            return Err(Refusal::of(format!("{name} has {reason}")));
        }
        (library.open)(start, self.clone()).await.map(Some)
    }

    /// Closes the client once, after it was built.
    pub(crate) fn close_client(&self) {
        self.0.asked.cancel();
        if self.0.closing.swap(true, Ordering::SeqCst) {
            return;
        }
        let this = self.clone();
        self.spawn(async move {
            this.0.opened.cancelled().await;
            let client = this.0.client.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(client) = client {
                client.close().await;
            }
            this.0.closed.cancel();
        });
    }

    /// Closes the client. Reports `closed`, or `fatal` where the library blocks, before the deadline.
    pub(crate) async fn stop(self, deadline_ms: i32) {
        self.0.deadline_ms.store(deadline_ms, Ordering::Relaxed);
        self.close_client();
        let deadline = whole_ms(deadline_ms);
        // The last tenth, at most 100 ms, is for the transport to the orchestrator.
        let wait = deadline.saturating_sub((deadline / 10).min(Duration::from_millis(100)));
        match tokio::time::timeout(wait, self.0.closed.cancelled()).await {
            Ok(()) => self.report(event(Kind::Closed)),
            Err(_) => self.fatal(None, format!("close did not return in {deadline_ms} ms")),
        }
    }
}

fn whole_ms(value: i32) -> Duration {
    Duration::from_millis(u64::try_from(value).unwrap_or(0))
}
