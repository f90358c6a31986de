use tablero_core::AnyRecord;
use tablero_jobs::Progress;

/// A game of a match or tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedGame {
    /// Index in the match, from 0.
    pub index: usize,
    /// Indices of the players of the first and the second side.
    pub players: [usize; 2],
    /// The game, with the players' names and the tag `Round`.
    pub record: AnyRecord,
    /// Why the loser forfeited, if it did.
    pub fault: Option<String>,
}

/// Receives the games and the progress of a match.
pub trait Watcher {
    /// Called for every game, in order. A resumed match reports the games of earlier runs again, so
    /// an output file should be truncated. An error ends the match.
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        let _ = game;
        Ok(())
    }

    /// Called after every pair.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }
}

/// Ignores everything.
impl Watcher for () {}
