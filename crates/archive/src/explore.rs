//! The opening explorer: what was played in a position, and by whom.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use tablero_core::{AnyMove, AnyPosition, Side};

use crate::packed::GameResult;
use crate::segments::{Hit, lookup};
use crate::terms::position_key;
use crate::{Archive, ArchiveError, GameHeader};

/// What was played in a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Explored {
    /// The games that reached it.
    pub games: u64,
    /// The moves played, the most frequent first. Moves that are equal by symmetry are counted as one.
    pub moves: Vec<ExploredMove>,
    /// The players of the latest games with the side to move, the one with most games first.
    pub players: Vec<PlayerScore>,
    /// The number of latest games from which `players` are taken.
    pub players_of: u64,
    /// The latest games.
    pub latest: Vec<GameHeader>,
}

/// A move played in a position, with the results of the games for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExploredMove {
    /// The move.
    pub m: AnyMove,
    /// The games; more than the sum of results if some are unknown.
    pub games: u64,
    /// Won by the side that moved.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the side that moved.
    pub losses: u64,
}

/// The score of a player in a position, with the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayerScore {
    /// The player.
    pub name: String,
    /// The games.
    pub games: u64,
    /// Won games, and half of the drawn ones.
    pub score: f64,
}

/// The latest games whose players are counted.
const COUNTED_PLAYERS: usize = 1000;
/// The most players that are returned.
const MAX_PLAYERS: usize = 5;
/// Lists up to this length are verified, since keys are shortened.
const VERIFIED: usize = 4;

impl Archive {
    /// What was played in `position`, up to symmetry, with the latest `games` games. Only the first 32 plies of games
    /// are indexed.
    pub fn explore(&self, position: &AnyPosition, games: usize) -> Result<Explored, ArchiveError> {
        self.with(|connection| {
            let mut hits = lookup(connection, position_key(position))?;
            if hits.len() <= VERIFIED {
                self.verify(connection, position, &mut hits)?;
            }
            let latest = hits.iter().rev().take(games);
            let latest = latest.map(|hit| self.header(connection, hit.game));
            let counted = &hits[hits.len().saturating_sub(COUNTED_PLAYERS)..];
            Ok(Explored {
                games: hits.len() as u64,
                moves: count_moves(position, &hits),
                players: best_players(connection, position.side(), counted)?,
                players_of: counted.len() as u64,
                latest: latest.collect::<Result<_, _>>()?,
            })
        })
    }

    /// Keeps the games that do reach `position`.
    fn verify(
        &self,
        connection: &Connection,
        position: &AnyPosition,
        hits: &mut Vec<Hit>,
    ) -> Result<(), ArchiveError> {
        let key = position.canonical().key;
        let mut verified = Vec::with_capacity(hits.len());
        for hit in hits.drain(..) {
            let record = self.read_game(connection, hit.game)?;
            let moves = record.plies.iter().map(|ply| ply.m);
            let trace = record.start.trace(moves, crate::packed::INDEXED_POSITIONS);
            let reaches = trace.is_some_and(|trace| trace.positions.iter().any(|p| p.key == key));
            if reaches && record.start.rules() == position.rules() {
                verified.push(hit);
            }
        }
        *hits = verified;
        Ok(())
    }
}

fn count_moves(position: &AnyPosition, hits: &[Hit]) -> Vec<ExploredMove> {
    let mut by_code: HashMap<u16, [u64; 4]> = HashMap::new();
    for hit in hits.iter().filter(|hit| hit.code > 0) {
        by_code.entry(hit.code - 1).or_default()[usize::from(hit.result.bits())] += 1;
    }
    let [win, loss] = match position.side() {
        Side::First => [GameResult::First, GameResult::Second],
        Side::Second => [GameResult::Second, GameResult::First],
    };
    let of = |counts: &[u64; 4], result: GameResult| counts[usize::from(result.bits())];
    let mut moves = Vec::new();
    for m in position.moves() {
        // Of moves that are equal by symmetry, only the first finds its count.
        let counts = position.canonical_code(m).and_then(|code| by_code.remove(&code));
        moves.extend(counts.map(|counts| ExploredMove {
            m,
            games: counts.iter().sum(),
            wins: of(&counts, win),
            draws: of(&counts, GameResult::Draw),
            losses: of(&counts, loss),
        }));
    }
    moves.sort_by_key(|played| std::cmp::Reverse(played.games));
    moves
}

/// The players of `side` in these games, the one with most games first.
fn best_players(
    connection: &Connection,
    side: Side,
    hits: &[Hit],
) -> Result<Vec<PlayerScore>, ArchiveError> {
    let column = ["first", "second"][side.index()];
    let mut statement =
        connection.prepare_cached(&format!("SELECT {column} FROM games WHERE id = ?1"))?;
    let mut scores: HashMap<i64, (u64, f64)> = HashMap::new();
    for hit in hits {
        let player: Option<i64> = statement.query_row(params![hit.game], |row| row.get(0))?;
        let Some(player) = player else { continue };
        let entry = scores.entry(player).or_default();
        entry.0 += 1;
        entry.1 += match hit.result.winner() {
            Some(winner) => f64::from(u8::from(winner == side)),
            None if hit.result == GameResult::Draw => 0.5,
            None => 0.0,
        };
    }
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(|(a_id, (a, a_score)), (b_id, (b, b_score))| {
        b.cmp(a).then(b_score.total_cmp(a_score)).then(a_id.cmp(b_id))
    });
    scores.truncate(MAX_PLAYERS);
    let mut name = connection.prepare_cached("SELECT name FROM names WHERE id = ?1")?;
    let mut score = |(id, (games, score)): (i64, (u64, f64))| {
        Ok(PlayerScore { name: name.query_row([id], |row| row.get(0))?, games, score })
    };
    scores.into_iter().map(&mut score).collect()
}
