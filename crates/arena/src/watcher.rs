use tablero_core::AnyRecord;
use tablero_jobs::Progress;

/// A game of a match or tournament.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedGame {
    /// Its number, from 0.
    pub index: usize,
    /// Who had the first and the second side: the players' places in the configuration.
    pub players: [usize; 2],
    /// The game, with the players' names and the tag `Round`.
    pub record: AnyRecord,
    /// What the loser did wrong, if the game was forfeited.
    pub fault: Option<String>,
}

/// Who looks on while games are played.
pub trait Watcher {
    /// Every game, in order. A resumed match shows the games of earlier runs again, so that a file
    /// is best written anew. An error ends the match.
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        let _ = game;
        Ok(())
    }

    /// How far the match is.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }
}

/// Nobody looks on.
impl Watcher for () {}
