//! What is in an archive.

use tablero_core::AnyGame;

use crate::names::Kind;
use crate::packed::GameResult;
use crate::segments::visit;
use crate::terms::{Term, term_key};
use crate::{Archive, ArchiveError};

/// The content of an archive.
#[derive(Clone, PartialEq, Debug)]
pub struct Stats {
    /// All games.
    pub games: u64,
    /// Different names of players.
    pub players: u64,
    /// Different events.
    pub events: u64,
    /// The size of the file.
    pub bytes: u64,
    /// The games of each kind; those without any are left out.
    pub by_game: Vec<GameStats>,
    /// Segments of the index.
    pub segments: u64,
}

/// The games of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct GameStats {
    /// The game.
    pub game: AnyGame,
    /// Its games.
    pub games: u64,
    /// Won by the first player.
    pub first: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by the second player.
    pub second: u64,
}

impl Archive {
    /// Counts what there is.
    pub fn stats(&self) -> Result<Stats, ArchiveError> {
        self.with(|connection| {
            let count = |sql: &str, kind: i64| {
                connection.prepare_cached(sql)?.query_row([kind], |row| row.get::<_, i64>(0))
            };
            const NAMES: &str = "SELECT count(*) FROM names WHERE kind = ?1";
            let mut by_game = Vec::new();
            for &game in &self.games {
                let mut counts = [0; 4];
                visit(connection, term_key(game, Term::All), |hit| {
                    counts[usize::from(hit.result.bits())] += 1;
                })?;
                let of = |result: GameResult| counts[usize::from(result.bits())];
                let games = counts.iter().sum();
                if games > 0 {
                    by_game.push(GameStats {
                        game,
                        games,
                        first: of(GameResult::First),
                        draws: of(GameResult::Draw),
                        second: of(GameResult::Second),
                    });
                }
            }
            Ok(Stats {
                games: by_game.iter().map(|game| game.games).sum(),
                players: count(NAMES, Kind::Player as i64)? as u64,
                events: count(NAMES, Kind::Event as i64)? as u64,
                segments: count("SELECT count(*) FROM segments WHERE ?1 >= 0", 0)? as u64,
                bytes: self.bytes(),
                by_game,
            })
        })
    }
}
