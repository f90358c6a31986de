//! A match of two players, optionally ended by an SPRT.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tablero_core::{Ending, Side, Wdl};
use tablero_jobs::{Progress, RunEnd, Runner};

use crate::pair::PairOutput;
use crate::settings::{MatchSettings, Tally, play_pairs};
use crate::stats::{Pentanomial, Sprt, Verdict};
use crate::{ArenaError, Factory, Watcher};

/// The configuration of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchConfig {
    /// The two player lines.
    pub players: [String; 2],
    /// What they play, and how.
    pub settings: MatchSettings,
    /// Ends the match as soon as this test accepts a hypothesis.
    #[serde(default)]
    pub sprt: Option<Sprt>,
}

/// The numbers of a match; the names are those of `--json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchSummary {
    /// Games played.
    pub games: u64,
    /// Games that the first named player won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that the first named player lost.
    pub losses: u64,
    /// Wins, draws and losses of the first named player with the first side.
    #[serde(default)]
    pub as_first: [u64; 3],
    /// Wins, draws and losses of the first named player with the second side.
    #[serde(default)]
    pub as_second: [u64; 3],
    /// Games won by the first side, drawn, and won by the second side, whoever played them.
    #[serde(default)]
    pub by_side: [u64; 3],
    /// Score of the first named player, from 0 to 1.
    pub score: Option<f64>,
    /// Elo difference; none if one player won all games.
    pub elo: Option<f64>,
    /// Half the width of its 95 % confidence interval.
    pub elo_error: Option<f64>,
    /// Likelihood of superiority (LOS) of the first named player.
    pub los: f64,
    /// Log-likelihood ratio (LLR) of the SPRT, if there is one.
    pub llr: Option<f64>,
    /// Pairs of games in which the first named player scored 0, 1/2, 1, 3/2 and 2.
    pub pentanomial: Pentanomial,
    /// Mean margin of the first named player over completed games, if the game has margins.
    pub first_margin_mean: Option<f64>,
    /// Nodes per second of each player.
    pub nps: [f64; 2],
    /// Games forfeited by an illegal move or a crash.
    pub illegal: u64,
    /// Games lost on time.
    pub timeouts: u64,
}

/// The result of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchResult {
    /// The numbers.
    pub summary: MatchSummary,
    /// Why the match ended.
    pub end: MatchEnd,
    /// Games that each player lost on time.
    pub timeouts: [u64; 2],
    /// Forfeits, by player and reason.
    pub faults: Vec<Fault>,
}

/// Why a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum MatchEnd {
    /// All games were played.
    AllGames,
    /// The SPRT accepted H0.
    AcceptedH0,
    /// The SPRT accepted H1.
    AcceptedH1,
    /// Cancelled.
    Cancelled,
}

/// Games that a player forfeited for one reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// Index of the player in the configuration.
    pub player: usize,
    /// The reason.
    pub reason: String,
    /// Number of games.
    pub games: u64,
}

/// Plays a match. The result is independent of the number of threads as long as players are limited by
/// depth, nodes or iterations.
///
/// If `runner` has a [`Log`](tablero_jobs::Log), the games in it are not played again.
pub fn run_match(
    config: &MatchConfig,
    factory: Factory<'_>,
    runner: &mut Runner<'_>,
    watcher: &mut dyn Watcher,
) -> Result<MatchResult, ArenaError> {
    if let Some(sprt) = &config.sprt {
        sprt.check()?;
    }
    let tasks = config.settings.tasks(factory, &config.players, &[[0, 1]])?;
    let mut tally = MatchTally { sprt: config.sprt, ..MatchTally::default() };
    let ended = play_pairs(&tasks, &config.players, factory, runner, watcher, &mut tally)?;
    Ok(tally.result(ended, factory.game.info().margin.is_some()))
}

impl fmt::Display for MatchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AllGames => "all games were played",
            Self::AcceptedH0 => "H0 was accepted",
            Self::AcceptedH1 => "H1 was accepted",
            Self::Cancelled => "cancelled",
        })
    }
}

#[derive(Default)]
struct MatchTally {
    sprt: Option<Sprt>,
    /// Losses, draws and wins of the first named player, by its side.
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
    fn add(&mut self, _: [usize; 2], games: &PairOutput) -> ControlFlow<()> {
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
            if let Some(reason) = &game.fault {
                add_fault(&mut self.faults, loser, reason);
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
        let progress =
            progress.with_message(format!("{wins} wins, {draws} draws, {losses} losses"));
        let add = |progress: Progress, (name, value): (&str, Option<f64>)| match value {
            Some(value) => progress.with_metric(name, value),
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

    fn result(self, ended: RunEnd, has_margin: bool) -> MatchResult {
        let end = match (self.verdict(), ended) {
            (Verdict::AcceptH0, _) => MatchEnd::AcceptedH0,
            (Verdict::AcceptH1, _) => MatchEnd::AcceptedH1,
            (Verdict::Continue, RunEnd::Cancelled) => MatchEnd::Cancelled,
            (Verdict::Continue, RunEnd::Completed | RunEnd::Break) => MatchEnd::AllGames,
        };
        let [losses, draws, wins] = self.totals();
        let [as_first, as_second] = self.results.map(|[losses, draws, wins]| [wins, draws, losses]);
        let by_side = [as_first[0] + as_second[2], draws, as_first[2] + as_second[0]];
        let rate = |player: usize| self.nodes[player] as f64 / self.seconds[player].max(1e-9);
        let margin_mean = self.margin_sum as f64 / self.played_out as f64;
        let summary = MatchSummary {
            games: wins + draws + losses,
            wins,
            draws,
            losses,
            as_first,
            as_second,
            by_side,
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

/// Counts a forfeit of `player`.
pub(crate) fn add_fault(faults: &mut Vec<Fault>, player: usize, reason: &str) {
    match faults.iter_mut().find(|fault| fault.player == player && fault.reason == reason) {
        Some(fault) => fault.games += 1,
        None => faults.push(Fault { player, reason: reason.into(), games: 1 }),
    }
}
