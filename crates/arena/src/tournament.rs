//! A round-robin tournament.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tablero_core::{Ending, Side, Wdl};
use tablero_jobs::{Progress, RunEnd, Runner};

use crate::matches::add_fault;
use crate::pair::{GameOutput, PairOutput};
use crate::settings::{MatchSettings, Tally, play_pairs};
use crate::stats::{PairResult, Rating, RunningElo, ratings};
use crate::{ArenaError, Factory, Fault, Watcher};

/// The configuration of a round-robin tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentConfig {
    /// The player lines.
    pub players: Vec<String>,
    /// What each pairing plays, and how.
    pub settings: MatchSettings,
}

/// The result of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentResult {
    /// The players, as configured.
    pub players: Vec<String>,
    /// Results by player of the first side (row) and of the second (column).
    pub games: Vec<Vec<Cell>>,
    /// Maximum-likelihood ratings with mean 0.
    pub ratings: Vec<Rating>,
    /// Incremental ratings, starting at 400.
    pub running: Vec<RunningElo>,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Forfeits, by player and reason.
    pub faults: Vec<Fault>,
}

/// The games of one player with the first side against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cell {
    /// Games that the first side won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that the first side lost.
    pub losses: u64,
    /// Sum of the first side's margins over completed games.
    pub margin_sum: i64,
    /// Pieces of the first and of the second side at the end of completed games, summed.
    #[serde(default)]
    pub pieces: [u64; 2],
    /// Number of completed games.
    pub played_out: u64,
}

/// The numbers of a tournament; the names are those of `--json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentSummary {
    /// The players, as configured.
    pub players: Vec<PlayerSummary>,
    /// Score of each player (row) against each other (column), from 0 to 1; none without games.
    pub table: Vec<Vec<Option<f64>>>,
}

/// The numbers of one player of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayerSummary {
    /// The player line.
    pub player: String,
    /// Elo above the mean of all players.
    pub elo: f64,
    /// Half the width of its 95 % confidence interval.
    pub elo_error: f64,
    /// Incremental rating, starting at 400.
    pub running_elo: f64,
    /// Games played.
    pub games: u64,
    /// Score from 0 to 1; none without games.
    pub score: Option<f64>,
}

/// Plays a tournament; see [`run_match`](crate::run_match).
pub fn run_tournament(
    config: &TournamentConfig,
    factory: Factory<'_>,
    runner: &mut Runner<'_>,
    watcher: &mut dyn Watcher,
) -> Result<TournamentResult, ArenaError> {
    let players = config.players.len();
    if players < 2 {
        return Err(ArenaError::TooFewPlayers { found: players });
    }
    let pairings: Vec<_> = (0..players)
        .flat_map(|first| (first + 1..players).map(move |second| [first, second]))
        .collect();
    let tasks = config.settings.tasks(factory, &config.players, &pairings)?;
    let mut tally = TournamentTally {
        games: vec![vec![Cell::default(); players]; players],
        running: vec![RunningElo::default(); players],
        faults: Vec::new(),
    };
    let ended = play_pairs(&tasks, &config.players, factory, runner, watcher, &mut tally)?;
    Ok(TournamentResult {
        players: config.players.clone(),
        ratings: tally.ratings(),
        games: tally.games,
        running: tally.running,
        is_cancelled: ended == RunEnd::Cancelled,
        faults: tally.faults,
    })
}

impl Cell {
    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The same games from the second side's point of view.
    #[must_use]
    const fn flipped(self) -> Self {
        let pieces = [self.pieces[1], self.pieces[0]];
        Self { wins: self.losses, losses: self.wins, margin_sum: -self.margin_sum, pieces, ..self }
    }

    #[must_use]
    const fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            margin_sum: self.margin_sum + other.margin_sum,
            pieces: [self.pieces[0] + other.pieces[0], self.pieces[1] + other.pieces[1]],
            played_out: self.played_out + other.played_out,
        }
    }

    fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Score from 0 to 1; none without games.
    fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    fn add(&mut self, game: &GameOutput) {
        match game.outcome().wdl(Side::First) {
            Wdl::Win => self.wins += 1,
            Wdl::Draw => self.draws += 1,
            Wdl::Loss => self.losses += 1,
        }
        if game.ending() == Ending::Played {
            self.margin_sum += i64::from(game.margin);
            for (sum, pieces) in self.pieces.iter_mut().zip(game.pieces) {
                *sum += u64::from(pieces);
            }
            self.played_out += 1;
        }
    }
}

/// All games of two players, from the first one's point of view.
fn head_to_head(games: &[Vec<Cell>], player: usize, other: usize) -> Cell {
    games[player][other].plus(games[other][player].flipped())
}

struct TournamentTally {
    games: Vec<Vec<Cell>>,
    running: Vec<RunningElo>,
    faults: Vec<Fault>,
}

impl Tally for TournamentTally {
    fn add(&mut self, pairing: [usize; 2], games: &PairOutput) -> ControlFlow<()> {
        for (swapped, game) in games.iter().enumerate() {
            let [first, second] = [pairing[swapped], pairing[1 - swapped]];
            self.games[first][second].add(game);
            let score = game.outcome().wdl(Side::First) as u8;
            let ratings = [self.running[first].rating, self.running[second].rating];
            self.running[first].update(ratings[1], f64::from(score) / 2.0);
            self.running[second].update(ratings[0], f64::from(2 - score) / 2.0);
            if let Some(reason) = &game.fault {
                add_fault(&mut self.faults, if score == 0 { first } else { second }, reason);
            }
        }
        ControlFlow::Continue(())
    }

    fn report(&self, progress: Progress) -> Progress {
        progress
    }
}

impl TournamentTally {
    fn ratings(&self) -> Vec<Rating> {
        let players = self.games.len();
        let mut results = Vec::new();
        for first in 0..players {
            for second in first + 1..players {
                let cell = head_to_head(&self.games, first, second);
                results.push(PairResult {
                    players: [first, second],
                    points: cell.points(),
                    games: cell.games() as f64,
                });
            }
        }
        ratings(players, &results)
    }
}

impl TournamentResult {
    /// All games of two players, from the first one's point of view.
    pub fn head_to_head(&self, player: usize, other: usize) -> Cell {
        head_to_head(&self.games, player, other)
    }

    /// All games of a player.
    pub fn total(&self, player: usize) -> Cell {
        let others = (0..self.players.len()).filter(|&other| other != player);
        others.fold(Cell::default(), |sum, other| sum.plus(self.head_to_head(player, other)))
    }

    /// Indices of the players by rating, the strongest first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<_> = (0..self.players.len()).collect();
        ranking.sort_by(|&a, &b| self.ratings[b].elo.total_cmp(&self.ratings[a].elo));
        ranking
    }

    /// The numbers that `--json` prints.
    pub fn summary(&self) -> TournamentSummary {
        let indices = 0..self.players.len();
        let player = |index: usize| PlayerSummary {
            player: self.players[index].clone(),
            elo: self.ratings[index].elo,
            elo_error: self.ratings[index].error,
            running_elo: self.running[index].rating,
            games: self.total(index).games(),
            score: self.total(index).score(),
        };
        let row = |player: usize| {
            let score = |other: usize| {
                (other != player).then(|| self.head_to_head(player, other).score()).flatten()
            };
            indices.clone().map(score).collect()
        };
        TournamentSummary {
            players: indices.clone().map(player).collect(),
            table: indices.clone().map(row).collect(),
        }
    }
}
