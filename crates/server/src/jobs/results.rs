//! The results so far of a match or tournament, from its log of games.

use serde::Deserialize;
use tablero_arena::MATCH;
use tablero_arena::stats::{PairResult, Pentanomial, Sprt, ratings};
use tablero_core::{Ending, ForFirst, Outcome, Side, Wdl};
use tablero_jobs::{Job, read_log};

use super::arena::settings_of;
use crate::api::{
    Crosstable, CrosstableRow, GameEnd, JobGame, JobGames, JobGamesQuery, MatchStats, Problem,
    SprtState,
};
use crate::error::{ApiError, ApiResult, find_game};
use crate::game_file::GameFile;
use crate::games::file_from_record;

/// The games of a job.
pub(super) struct Results {
    players: Vec<String>,
    is_match: bool,
    sprt: Option<Sprt>,
    has_margin: bool,
    /// In pairs with colours swapped.
    games: Vec<Played>,
}

/// A log entry: the games of a pair.
#[derive(Deserialize)]
struct Pair<T> {
    output: [T; 2],
}

/// The result of a game.
#[derive(Deserialize)]
struct Played {
    margin: i16,
    ending: String,
    fault: Option<String>,
}

#[derive(Deserialize)]
struct Text {
    text: String,
}

#[derive(Deserialize)]
struct Config {
    players: Vec<String>,
    #[serde(default)]
    sprt: Option<Sprt>,
}

const MAX_PER_PAGE: usize = 500;
const PER_PAGE: usize = 100;

impl Results {
    pub(super) fn read(job: &Job) -> ApiResult<Self> {
        let Config { players, sprt } = job.config()?;
        let game = settings_of(job).map_err(ApiError::internal)?.game;
        let mut games = Vec::new();
        for pair in read_log::<Pair<Played>>(&log(job))? {
            games.extend(pair?.output);
        }
        Ok(Self {
            has_margin: find_game(&game)?.game().info().margin.is_some(),
            is_match: job.header().kind == MATCH,
            players,
            sprt,
            games,
        })
    }

    pub(super) fn games(&self) -> usize {
        self.games.len()
    }

    /// The players of the first and second side in a game.
    fn players_of(&self, game: usize) -> [usize; 2] {
        // The order of a tournament's pairs: everyone against everyone, round after round.
        let players = self.players.len();
        let meetings = players * (players - 1) / 2;
        let mut number = (game / 2) % meetings.max(1);
        let mut first = 0;
        while number + 1 >= players - first {
            number -= players - first - 1;
            first += 1;
        }
        let [a, b] = [first, first + 1 + number];
        if game.is_multiple_of(2) { [a, b] } else { [b, a] }
    }

    pub(super) fn list(&self, query: &JobGamesQuery) -> JobGames {
        let per_page = query.per_page.unwrap_or(PER_PAGE).clamp(1, MAX_PER_PAGE);
        let from = query.page.saturating_mul(per_page);
        let game = |(index, played): (usize, &Played)| JobGame {
            index,
            players: self.players_of(index),
            end: played.end(self.has_margin),
            fault: played.fault.clone(),
        };
        let games = self.games.iter().enumerate().skip(from).take(per_page);
        JobGames {
            total: self.games.len(),
            page: query.page,
            per_page,
            games: games.map(game).collect(),
        }
    }

    pub(super) fn crosstable(&self) -> Crosstable {
        let count = self.players.len();
        let mut against = vec![vec![[0u64; 3]; count]; count];
        let mut by_side = vec![[[0u64; 3]; 2]; count];
        for (index, played) in self.games.iter().enumerate() {
            let players = self.players_of(index);
            for side in Side::BOTH {
                let column = match played.outcome().wdl(side) {
                    Wdl::Win => 0,
                    Wdl::Draw => 1,
                    Wdl::Loss => 2,
                };
                against[players[side.index()]][players[(!side).index()]][column] += 1;
                by_side[players[side.index()]][side.index()][column] += 1;
            }
        }
        let rated = ratings(count, &meetings(&against));
        let margins = self.margins();
        let row = |index: usize| {
            let games: u64 = against[index].iter().flatten().sum();
            let known = rated.get(index).filter(|_| games > 0);
            CrosstableRow {
                player: self.players[index].clone(),
                elo: known.map(|rating| rating.elo).filter(|elo| elo.is_finite()),
                elo_error: known.map(|rating| rating.error).filter(|error| error.is_finite()),
                games,
                points: against[index].iter().map(points).sum(),
                against: against[index].clone(),
                by_side: by_side[index],
                margins: margins.get(index).cloned().unwrap_or_default(),
            }
        };
        Crosstable {
            players: (0..count).map(row).collect(),
            match_stats: self.is_match.then(|| self.match_stats()),
        }
    }

    /// The mean margin of each player as first side against each as second side; empty if the game has no
    /// margins.
    fn margins(&self) -> Vec<Vec<Option<f64>>> {
        if !self.has_margin {
            return Vec::new();
        }
        let count = self.players.len();
        let mut sums = vec![vec![(0.0, 0u32); count]; count];
        for (index, played) in self.games.iter().enumerate() {
            if Ending::from_text(&played.ending) == Some(Ending::Played) {
                let [first, second] = self.players_of(index);
                let (sum, games) = &mut sums[first][second];
                *sum += f64::from(played.margin);
                *games += 1;
            }
        }
        let mean = |(sum, games): (f64, u32)| (games > 0).then(|| sum / f64::from(games));
        sums.into_iter().map(|row| row.into_iter().map(mean).collect()).collect()
    }

    fn match_stats(&self) -> MatchStats {
        let mut pairs = Pentanomial::default();
        for pair in self.games.chunks_exact(2) {
            let half_points = |side: Side| pair[side.index()].outcome().wdl(side) as usize;
            pairs.add(half_points(Side::First) + half_points(Side::Second));
        }
        let sprt = self.sprt.map(|sprt| {
            let [lower, upper] = sprt.bounds();
            SprtState { llr: sprt.llr(&pairs), lower, upper }
        });
        MatchStats {
            elo: pairs.elo(),
            elo_error: pairs.elo_error(),
            los: pairs.los(),
            pentanomial: pairs.0,
            sprt,
        }
    }
}

fn log(job: &Job) -> std::path::PathBuf {
    job.folder().join("games.jsonl")
}

/// Wins, draws and losses as points.
fn points([wins, draws, _]: &[u64; 3]) -> f64 {
    *wins as f64 + 0.5 * *draws as f64
}

fn meetings(against: &[Vec<[u64; 3]>]) -> Vec<PairResult> {
    let players = against.len();
    let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b]));
    pairs
        .map(|[a, b]| PairResult {
            players: [a, b],
            points: points(&against[a][b]),
            games: against[a][b].iter().sum::<u64>() as f64,
        })
        .collect()
}

impl Played {
    const fn outcome(&self) -> Outcome {
        Outcome::by_margin(ForFirst(self.margin))
    }

    fn end(&self, has_margin: bool) -> GameEnd {
        let ending = Ending::from_text(&self.ending).unwrap_or(Ending::Unknown);
        GameEnd::new(tablero_core::GameEnd { outcome: self.outcome(), ending }, has_margin)
    }
}

/// A game of a job, for the library.
pub(super) fn game(job: &Job, index: usize) -> ApiResult<GameFile> {
    let missing = || Problem::JobGameNotFound { job: job.id().into(), index };
    let pair = read_log::<Pair<Text>>(&log(job))?.nth(index / 2);
    let [first, second] = pair.ok_or_else(missing)??.output;
    let text = if index.is_multiple_of(2) { first.text } else { second.text };
    let settings = settings_of(job).map_err(ApiError::internal)?;
    let game = find_game(&settings.game)?.game();
    let record = tablero_core::pgn::read_one(game, &text).map_err(ApiError::internal)?;
    let mut file = file_from_record(&record);
    let results = Results::read(job)?;
    for (seat, player) in file.players.iter_mut().zip(results.players_of(index)) {
        seat.player.clone_from(&results.players[player]);
        seat.name.clear();
    }
    // It is a replay: the players go on only when they are asked to.
    file.paused = true;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_follow_the_order_of_the_arena() {
        for players in 2..6 {
            let results = Results {
                players: vec![String::new(); players],
                is_match: players == 2,
                sprt: None,
                has_margin: false,
                games: Vec::new(),
            };
            let meetings: Vec<[usize; 2]> = (0..players)
                .flat_map(|first| (first + 1..players).map(move |second| [first, second]))
                .collect();
            let rounds = meetings.iter().cycle().take(3 * meetings.len()).enumerate();
            for (pair, &[a, b]) in rounds {
                assert_eq!(results.players_of(2 * pair), [a, b], "{players} players, pair {pair}");
                assert_eq!(results.players_of(2 * pair + 1), [b, a]);
            }
        }
    }
}
