//! The events that an instance reports.

use std::collections::HashMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::contract::{self, Error, Kind};
use crate::instance::Instance;
use crate::{NO_PARTITION, clock};

/// Notices that are kept per instance, so that endless logging neither fills the history nor takes CPU from others.
const NOTICE_LIMIT: u32 = 500;

/// An event under construction; fields that do not apply are -1.
pub struct Event(pub(crate) contract::Event);

/// Begins an event that happened now.
pub fn event(kind: Kind) -> Event {
    Event(contract::Event {
        clock_us: clock(),
        kind: kind.into(),
        partition: NO_PARTITION,
        sequence: -1,
        offset: -1,
        ..Default::default()
    })
}

impl Event {
    /// Sets the partition.
    #[must_use]
    pub fn partition(mut self, partition: i32) -> Self {
        self.0.partition = partition;
        self
    }

    /// Sets partition and sequence.
    #[must_use]
    pub fn at(mut self, partition: i32, sequence: i64) -> Self {
        (self.0.partition, self.0.sequence) = (partition, sequence);
        self
    }

    /// Sets the offset.
    #[must_use]
    pub fn offset(mut self, offset: i64) -> Self {
        self.0.offset = offset;
        self
    }

    /// Sets the error.
    #[must_use]
    pub fn failed(mut self, error: Error) -> Self {
        self.0.error = Some(error);
        self
    }

    /// Sets the text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.text = text.into();
        self
    }

    /// Sets the partitions that a member was given, or that were taken from it.
    #[must_use]
    pub fn partitions(mut self, partitions: Vec<i32>) -> Self {
        self.0.partitions = partitions;
        self
    }
}

impl Instance {
    /// Reports an event. Nothing is reported after the event that ends the instance.
    pub fn report(&self, event: Event) {
        let mut event = event.0;
        event.instance.clone_from(&self.0.name);
        let ends = matches!(event.kind(), Kind::Closed | Kind::Fatal | Kind::Unsupported);
        // Held while the event is put into the outbox, so that none follows the last one.
        let mut ended = self.0.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if !*ended {
            *ended = ends;
            let _ = self.0.outbox.send(event); // fails only once the stream is over
        }
    }

    /// Reports the effective settings.
    pub fn ready(&self, settings: HashMap<String, String>) {
        let mut first = event(Kind::Ready);
        first.0.settings = settings;
        self.report(first);
    }

    /// Reports that an operation begins, and returns the clock for its value.
    pub fn sent(&self, partition: i32, sequence: i64) -> i64 {
        let begun = event(Kind::Sent).at(partition, sequence);
        let clock = begun.0.clock_us;
        self.report(begun);
        clock
    }

    /// Reports a record, and returns when the application has handled it.
    pub async fn received(&self, partition: i32, offset: i64, value: &[u8]) {
        let mut read = event(Kind::Received).partition(partition).offset(offset);
        read.0.value = String::from_utf8_lossy(value).into_owned();
        self.report(read);
        self.handle().await;
    }

    /// Returns when the application has handled a record, or the transaction that it keeps open.
    pub async fn handle(&self) {
        let busy_ms = self.0.handler_ms.swap(0, Ordering::SeqCst);
        if let Ok(busy_ms @ 1..) = u64::try_from(busy_ms) {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(busy_ms)) => {}
                () = self.0.asked.cancelled() => {}
            }
        }
    }

    /// Reports a message that is not the error of an operation. At most `NOTICE_LIMIT` are kept.
    pub fn notice(&self, text: impl Into<String>) {
        match self.0.notices.fetch_add(1, Ordering::Relaxed) + 1 {
            count if count < NOTICE_LIMIT => self.report(event(Kind::Notice).text(text)),
            NOTICE_LIMIT => self.report(event(Kind::Notice).text("further notices are dropped")),
            _ => {}
        }
    }

    /// Ends the instance as unusable and closes the client. Later events are dropped.
    pub fn fatal(&self, error: Option<Error>, text: impl Into<String>) {
        let mut last = event(Kind::Fatal).text(text);
        last.0.error = error;
        self.report(last);
        self.close_client();
    }
}
