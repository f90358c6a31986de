use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tablero_core::{Ending, Side, Wdl};
use tablero_jobs::{Ended, Progress, Runner};

use crate::pair::PairOutput;
use crate::series::{Series, Tally, play};
use crate::stats::{Pentanomial, Sprt, Verdict};
use crate::{ArenaError, Factory, Watcher};

/// A match: what is to be played, and between whom.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchConfig {
    /// The two players, each a line of text.
    pub players: [String; 2],
    /// What they play.
    pub series: Series,
    /// Ends the match as soon as this test has a verdict.
    #[serde(default)]
    pub sprt: Option<Sprt>,
}

/// A match in numbers, with the names that scripts know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSummary {
    /// Games played.
    pub games: u64,
    /// Games that the first named player won.
    pub wins: u64,
    /// Games that nobody won.
    pub draws: u64,
    /// Games that the first named player lost.
    pub losses: u64,
    /// Wins, draws and losses of the first named player with the first side.
    #[serde(default)]
    pub as_first: [u64; 3],
    /// Wins, draws and losses of the first named player with the second side.
    #[serde(default)]
    pub as_second: [u64; 3],
    /// The first named player's share of the points, from 0 to 1.
    pub score: Option<f64>,
    /// How many rating points the first named player is above the other; none if all games were won
    /// by the same player.
    pub elo: Option<f64>,
    /// The true difference is within so much of it in 95 of 100 cases.
    pub elo_error: Option<f64>,
    /// How likely the first named player is the better one.
    pub los: f64,
    /// The test's log-likelihood ratio, if there is a test.
    pub llr: Option<f64>,
    /// Pairs of games in which the first named player scored 0, 1/2, 1, 3/2 and 2.
    pub pentanomial: Pentanomial,
    /// The mean margin of the first named player in games that were played to the end of the board,
    /// if the game knows margins.
    pub first_margin_mean: Option<f64>,
    /// Positions per second of each player.
    pub nps: [f64; 2],
    /// Games lost by an illegal move or a crash.
    pub illegal: u64,
    /// Games lost on time.
    pub timeouts: u64,
}

/// How a match came out.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// The numbers.
    pub summary: MatchSummary,
    /// Why it ended.
    pub end: MatchEnd,
    /// Games that each player lost on time.
    pub timeouts: [u64; 2],
    /// What players did wrong: who, what, and in how many games.
    pub faults: Vec<Fault>,
}

/// Why a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum MatchEnd {
    /// All games were played.
    AllGames,
    /// The test accepted H0.
    AcceptedH0,
    /// The test accepted H1.
    AcceptedH1,
    /// Stopped on request.
    Stopped,
}

/// Something that a player did wrong, and lost a game by.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The player's place in the configuration.
    pub player: usize,
    /// What it did.
    pub what: String,
    /// In how many games.
    pub games: u64,
}

/// Plays a match. Its result depends on the configuration alone, and not on how many games are
/// played at once, as long as the players' limits are depth, nodes or iterations.
///
/// With a [`Log`](tablero_jobs::Log) in `runner`, the games of earlier runs are taken from there.
pub fn run_match(
    config: &MatchConfig,
    factory: Factory<'_>,
    runner: &mut Runner<'_>,
    watcher: &mut dyn Watcher,
) -> Result<MatchResult, ArenaError> {
    if let Some(sprt) = &config.sprt {
        sprt.check().map_err(ArenaError::Config)?;
    }
    let tasks = config.series.tasks(factory.game, &config.players, &[[0, 1]])?;
    let mut tally = MatchTally { sprt: config.sprt, ..MatchTally::default() };
    let ended = play(&tasks, &config.players, factory, runner, watcher, &mut tally)?;
    Ok(tally.result(ended, factory.game.info().margin.is_some()))
}

impl MatchEnd {
    /// In a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::AllGames => "all games were played",
            Self::AcceptedH0 => "the test accepted H0",
            Self::AcceptedH1 => "the test accepted H1",
            Self::Stopped => "stopped on request",
        }
    }
}

#[derive(Default)]
struct MatchTally {
    sprt: Option<Sprt>,
    /// Losses, draws and wins of the first named player, by the side that it had.
    results: [[u64; 3]; 2],
    pentanomial: Pentanomial,
    margin_sum: i64,
    played_out: u64,
    nodes: [u64; 2],
    seconds: [f64; 2],
    timeouts: [u64; 2],
    faults: Vec<Fault>,
}

impl Tally for MatchTally {
    fn add(&mut self, _seats: [usize; 2], games: &PairOutput) -> ControlFlow<()> {
        let mut half_points = 0;
        for (swapped, game) in games.iter().enumerate() {
            let side = Side::BOTH[swapped];
            let result = game.outcome().wdl(side) as usize;
            self.results[swapped][result] += 1;
            half_points += result;
            if game.ending() == Ending::Played {
                let margin = i64::from(game.outcome().margin().for_mover(side).0);
                self.margin_sum += margin;
                self.played_out += 1;
            }
            for player in 0..2 {
                self.nodes[player] += game.nodes[player ^ swapped];
                self.seconds[player] += game.seconds[player ^ swapped];
            }
            let loser = usize::from(game.outcome().wdl(side) == Wdl::Win);
            if game.ending() == Ending::Time {
                self.timeouts[loser] += 1;
            }
            if let Some(what) = &game.fault {
                add_fault(&mut self.faults, loser, what);
            }
        }
        self.pentanomial.add(half_points);
        match self.verdict() {
            Verdict::Continue => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn report(&self, progress: Progress) -> Progress {
        let [losses, draws, wins] = self.totals();
        let figures = [
            ("score", self.pentanomial.score()),
            ("elo", self.pentanomial.elo()),
            ("elo_error", self.pentanomial.elo_error()),
            ("llr", self.llr()),
        ];
        let progress = progress.message(format!("{wins} wins, {draws} draws, {losses} losses"));
        let add = |progress: Progress, (name, value): (&str, Option<f64>)| match value {
            Some(value) => progress.figure(name, value),
            None => progress,
        };
        figures.into_iter().fold(progress, add)
    }
}

impl MatchTally {
    /// Losses, draws and wins of the first named player.
    fn totals(&self) -> [u64; 3] {
        let [first, second] = self.results;
        [0, 1, 2].map(|result| first[result] + second[result])
    }

    fn llr(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.llr(&self.pentanomial))
    }

    fn verdict(&self) -> Verdict {
        match (&self.sprt, self.llr()) {
            (Some(sprt), Some(llr)) => sprt.verdict(llr),
            _ => Verdict::Continue,
        }
    }

    fn result(self, ended: Ended, has_margin: bool) -> MatchResult {
        let end = match (self.verdict(), ended) {
            (Verdict::AcceptH0, _) => MatchEnd::AcceptedH0,
            (Verdict::AcceptH1, _) => MatchEnd::AcceptedH1,
            (Verdict::Continue, Ended::Stopped) => MatchEnd::Stopped,
            (Verdict::Continue, Ended::Done | Ended::Enough) => MatchEnd::AllGames,
        };
        let [losses, draws, wins] = self.totals();
        let [as_first, as_second] = self.results.map(|[losses, draws, wins]| [wins, draws, losses]);
        let rate = |player: usize| self.nodes[player] as f64 / self.seconds[player].max(1e-9);
        let margin_mean = self.margin_sum as f64 / self.played_out as f64;
        let summary = MatchSummary {
            games: wins + draws + losses,
            wins,
            draws,
            losses,
            as_first,
            as_second,
            score: self.pentanomial.score(),
            elo: self.pentanomial.elo(),
            elo_error: self.pentanomial.elo_error(),
            los: self.pentanomial.los(),
            llr: self.llr(),
            pentanomial: self.pentanomial,
            first_margin_mean: (has_margin && self.played_out > 0).then_some(margin_mean),
            nps: [rate(0), rate(1)],
            illegal: self.faults.iter().map(|fault| fault.games).sum(),
            timeouts: self.timeouts.iter().sum(),
        };
        MatchResult { summary, end, timeouts: self.timeouts, faults: self.faults }
    }
}

/// Counts a fault with those of the same kind.
pub(crate) fn add_fault(faults: &mut Vec<Fault>, player: usize, what: &str) {
    match faults.iter_mut().find(|fault| fault.player == player && fault.what == what) {
        Some(fault) => fault.games += 1,
        None => faults.push(Fault { player, what: what.into(), games: 1 }),
    }
}
