//! Intervals between operations.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// The interval at which a group member commits what it delivered.
pub const COMMIT_INTERVAL: Duration = Duration::from_millis(500);

/// The times at which operations begin; those missed while an operation begins are not repeated.
pub struct Ticker {
    next: Instant,
}

impl Default for Ticker {
    fn default() -> Self {
        Self { next: Instant::now() }
    }
}

impl Ticker {
    /// Waits for the next time, which is `interval` after the one before; false once `done` is cancelled.
    pub async fn tick(&mut self, done: &CancellationToken, interval: Duration) -> bool {
        self.next = (self.next + interval).max(Instant::now());
        tokio::select! {
            biased;
            () = done.cancelled() => false,
            () = sleep_until(self.next) => true,
        }
    }
}
