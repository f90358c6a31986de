//! What a server does unasked: it gives back what games that rest have taken.

use std::sync::Arc;
use std::time::Duration;

use crate::app::{App, Shared};

/// How often it looks.
const LOOK: Duration = Duration::from_secs(15);
/// The machines of a game in which nothing happens are kept for so long.
const LONGEST_IDLE: Duration = Duration::from_secs(300);

impl App {
    /// Keeps house until the server is gone.
    pub(crate) fn keep_house(&self) {
        let (shared, runtime) = (Arc::downgrade(self.shared()), self.runtime.clone());
        self.runtime.spawn(async move {
            loop {
                tokio::time::sleep(LOOK).await;
                let Some(shared) = shared.upgrade() else { return };
                runtime.spawn_blocking(move || shared.give_back_memory());
            }
        });
    }
}

impl Shared {
    /// Takes what it can from machines that rest; what was freed goes back to the system when nothing
    /// runs that would soon ask for it again.
    fn give_back_memory(&self) {
        self.players.forget_idle(LONGEST_IDLE);
        if self.jobs.is_running() {
            return;
        }
        let [by_players, by_jobs] = [self.players.has_freed(), self.jobs.has_run()];
        if by_players || by_jobs {
            tablero_core::trim_freed_memory();
        }
    }
}
