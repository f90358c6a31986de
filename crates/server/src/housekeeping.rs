//! Background housekeeping: returns the memory of idle games to the system, adds finished games to the archive.

use std::sync::Arc;
use std::time::Duration;

use crate::app::{App, Shared};
use crate::games::record_of;

const INTERVAL: Duration = Duration::from_secs(15);

impl App {
    /// Runs housekeeping until the server is dropped.
    pub(crate) fn spawn_housekeeping(&self) {
        let (shared, runtime) = (Arc::downgrade(self.shared()), self.runtime.clone());
        let interval = INTERVAL.min(self.config.idle_timeout);
        self.runtime.spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                let Some(shared) = shared.upgrade() else { return };
                runtime.spawn_blocking(move || {
                    shared.reclaim_memory();
                    shared.mirror_library();
                });
            }
        });
    }
}

impl Shared {
    /// Adds finished games of the library to the archive, where explorer and search find them too.
    fn mirror_library(&self) {
        let finished = self.library.finished(None).into_iter().map(|summary| summary.id).collect();
        self.archive.mirror(finished, |id| {
            let handle = self.library.get(id).ok()?;
            let game = handle.lock();
            let (played, file) = (game.entry.game(), game.file());
            drop(game);
            // A game that was opened from the archive is there already.
            let is_copy = file.tags.iter().any(|tag| tag.name == "Archive");
            if is_copy { None } else { record_of(played, &file).ok() }
        });
    }

    /// Evicts idle players. Freed memory is trimmed only while nothing runs that would allocate it
    /// again at once.
    fn reclaim_memory(&self) {
        self.players.evict_idle(self.config.idle_timeout);
        if self.jobs.is_running() {
            return;
        }
        let [by_players, by_jobs] = [self.players.take_freed(), self.jobs.take_has_run()];
        if by_players || by_jobs {
            tablero_core::trim_freed_memory();
        }
    }
}
