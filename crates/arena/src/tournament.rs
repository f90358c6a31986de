use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tablero_core::{Ending, Side, Wdl};
use tablero_jobs::{Ended, Progress, Runner};

use crate::matches::add_fault;
use crate::pair::{GameOutput, PairOutput};
use crate::series::{Series, Tally, play};
use crate::stats::{Meeting, Rating, RunningElo, ratings};
use crate::{ArenaError, Factory, Fault, Watcher};

/// A tournament in which everyone plays everyone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentConfig {
    /// The players, each a line of text.
    pub players: Vec<String>,
    /// What each two of them play.
    pub series: Series,
}

/// How a tournament came out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentResult {
    /// The players, as configured.
    pub players: Vec<String>,
    /// For each player on the first side (row) and each on the second (column): their games.
    pub games: Vec<Vec<Cell>>,
    /// Ratings under which the results are likeliest; their mean is 0.
    pub ratings: Vec<Rating>,
    /// Ratings that follow the players from game to game, from 400 on.
    pub running: Vec<RunningElo>,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
    /// What players did wrong: who, what, and in how many games.
    pub faults: Vec<Fault>,
}

/// What a player on the first side did against one on the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cell {
    /// Games that the first side won.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games that the first side lost.
    pub losses: u64,
    /// Margins of the first side in games that were played to the end of the board, summed up.
    pub margin_sum: i64,
    /// How many those are.
    pub played_out: u64,
}

/// A tournament in numbers, with the names that scripts know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentSummary {
    /// The players, as configured.
    pub players: Vec<PlayerSummary>,
    /// Each player's (row) share of the points against each other (column), from 0 to 1; none if
    /// they did not meet.
    pub table: Vec<Vec<Option<f64>>>,
}

/// A player of a tournament in numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayerSummary {
    /// The line of text.
    pub player: String,
    /// Rating points above the mean of all players.
    pub elo: f64,
    /// The true rating is within so much of it in 95 of 100 cases.
    pub elo_error: f64,
    /// The rating that followed the player from game to game, from 400 on.
    pub running_elo: f64,
    /// Games played.
    pub games: u64,
    /// The share of the points, from 0 to 1.
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
        return Err(ArenaError::Config("a tournament needs two players or more".into()));
    }
    let meetings: Vec<_> = (0..players)
        .flat_map(|first| (first + 1..players).map(move |second| [first, second]))
        .collect();
    let tasks = config.series.tasks(factory.game, &config.players, &meetings)?;
    let mut tally = TournamentTally {
        games: vec![vec![Cell::default(); players]; players],
        running: vec![RunningElo::default(); players],
        faults: Vec::new(),
    };
    let ended = play(&tasks, &config.players, factory, runner, watcher, &mut tally)?;
    Ok(TournamentResult {
        players: config.players.clone(),
        ratings: tally.ratings(),
        games: tally.games,
        running: tally.running,
        is_stopped: ended == Ended::Stopped,
        faults: tally.faults,
    })
}

impl Cell {
    /// How many games there were.
    pub const fn count(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The games of the same two players with the sides swapped, seen from this cell's player.
    #[must_use]
    const fn swapped(self) -> Self {
        Self { wins: self.losses, losses: self.wins, margin_sum: -self.margin_sum, ..self }
    }

    #[must_use]
    const fn and(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            margin_sum: self.margin_sum + other.margin_sum,
            played_out: self.played_out + other.played_out,
        }
    }

    fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// The share of the points; none without games.
    fn score(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.points() / self.count() as f64)
    }

    fn add(&mut self, game: &GameOutput) {
        match game.outcome().wdl(Side::First) {
            Wdl::Win => self.wins += 1,
            Wdl::Draw => self.draws += 1,
            Wdl::Loss => self.losses += 1,
        }
        if game.ending() == Ending::Played {
            self.margin_sum += i64::from(game.margin);
            self.played_out += 1;
        }
    }
}

/// All games of two players, both ways, seen from the first of them.
fn both_ways(games: &[Vec<Cell>], player: usize, other: usize) -> Cell {
    games[player][other].and(games[other][player].swapped())
}

struct TournamentTally {
    games: Vec<Vec<Cell>>,
    running: Vec<RunningElo>,
    faults: Vec<Fault>,
}

impl Tally for TournamentTally {
    fn add(&mut self, seats: [usize; 2], games: &PairOutput) -> ControlFlow<()> {
        for (swapped, game) in games.iter().enumerate() {
            let [first, second] = [seats[swapped], seats[1 - swapped]];
            self.games[first][second].add(game);
            let score = game.outcome().wdl(Side::First) as u8;
            let ratings = [self.running[first].rating, self.running[second].rating];
            self.running[first].update(ratings[1], f64::from(score) / 2.0);
            self.running[second].update(ratings[0], f64::from(2 - score) / 2.0);
            if let Some(what) = &game.fault {
                add_fault(&mut self.faults, if score == 0 { first } else { second }, what);
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
        let mut meetings = Vec::new();
        for first in 0..players {
            for second in first + 1..players {
                let cell = both_ways(&self.games, first, second);
                meetings.push(Meeting {
                    players: [first, second],
                    points: cell.points(),
                    games: cell.count() as f64,
                });
            }
        }
        ratings(players, &meetings)
    }
}

impl TournamentResult {
    /// All games of two players, both ways, seen from the first of them.
    pub fn meeting(&self, player: usize, other: usize) -> Cell {
        both_ways(&self.games, player, other)
    }

    /// All games of a player.
    pub fn total(&self, player: usize) -> Cell {
        let others = (0..self.players.len()).filter(|&other| other != player);
        others.fold(Cell::default(), |sum, other| sum.and(self.meeting(player, other)))
    }

    /// The players' places in the configuration, the strongest first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<_> = (0..self.players.len()).collect();
        ranking.sort_by(|&a, &b| self.ratings[b].elo.total_cmp(&self.ratings[a].elo));
        ranking
    }

    /// The numbers, with the names that scripts know.
    pub fn summary(&self) -> TournamentSummary {
        let seats = 0..self.players.len();
        let player = |seat: usize| PlayerSummary {
            player: self.players[seat].clone(),
            elo: self.ratings[seat].elo,
            elo_error: self.ratings[seat].error,
            running_elo: self.running[seat].rating,
            games: self.total(seat).count(),
            score: self.total(seat).score(),
        };
        let row = |player: usize| {
            let share = |other: usize| {
                (other != player).then(|| self.meeting(player, other).score()).flatten()
            };
            seats.clone().map(share).collect()
        };
        TournamentSummary {
            players: seats.clone().map(player).collect(),
            table: seats.clone().map(row).collect(),
        }
    }
}
