//! Events in order, in batches: one event per message costs the orchestrator nine times as much as ten.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout_at;

use crate::contract::{Event, Events, FromDriver, from_driver::Message};

const FLUSH_DELAY: Duration = Duration::from_millis(20);
const BATCH_LIMIT: usize = 256;

/// Where instances put their events; it never blocks and never drops one.
pub(crate) type Outbox = mpsc::UnboundedSender<Event>;

/// Sends the events of an outbox until either end is gone.
pub(crate) async fn send(mut events: mpsc::UnboundedReceiver<Event>, out: mpsc::UnboundedSender<FromDriver>) {
    let mut batch = Vec::with_capacity(BATCH_LIMIT);
    while let Some(first) = events.recv().await {
        batch.push(first);
        let due = tokio::time::Instant::now() + FLUSH_DELAY;
        while batch.len() < BATCH_LIMIT {
            match timeout_at(due, events.recv()).await {
                Ok(Some(event)) => batch.push(event),
                Ok(None) | Err(_) => break,
            }
        }
        let message = Message::Events(Events { events: std::mem::take(&mut batch) });
        if out.send(FromDriver { message: Some(message) }).is_err() {
            return;
        }
    }
}
