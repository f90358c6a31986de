//! What a match or tournament has come to so far, from the games that it has kept.

use serde::Deserialize;
use tablero_arena::MATCH;
use tablero_arena::stats::{Meeting, Pentanomial, Sprt, ratings};
use tablero_core::{Ending, ForFirst, Outcome, Side, Wdl};
use tablero_jobs::{Job, read_log};

use super::arena::series_of;
use crate::api::{
    Crosstable, CrosstableRow, Duel, GameEnd, JobGame, JobGames, JobGamesQuery, Problem,
};
use crate::error::{ApiError, ApiResult, find_game};
use crate::file::GameFile;
use crate::games::file_of;

/// The games of a job.
pub(super) struct Results {
    players: Vec<String>,
    is_match: bool,
    sprt: Option<Sprt>,
    has_margin: bool,
    /// In pairs with colours swapped.
    games: Vec<Played>,
}

/// A line of the log.
#[derive(Deserialize)]
struct Pair<T> {
    output: [T; 2],
}

/// A game in short.
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

const MOST_PER_PAGE: usize = 500;
const PER_PAGE: usize = 100;

impl Results {
    pub(super) fn read(job: &Job) -> ApiResult<Self> {
        let Config { players, sprt } = job.config()?;
        let game = series_of(job).map_err(ApiError::internal)?.game;
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

    /// Who had the first and the second side in a game.
    fn seats(&self, game: usize) -> [usize; 2] {
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
        let per_page = query.per_page.unwrap_or(PER_PAGE).clamp(1, MOST_PER_PAGE);
        let from = query.page.saturating_mul(per_page);
        let game = |(index, played): (usize, &Played)| JobGame {
            index,
            players: self.seats(index),
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

    pub(super) fn table(&self) -> Crosstable {
        let count = self.players.len();
        let mut against = vec![vec![[0u64; 3]; count]; count];
        for (index, played) in self.games.iter().enumerate() {
            let seats = self.seats(index);
            for side in Side::BOTH {
                let place = match played.outcome().wdl(side) {
                    Wdl::Win => 0,
                    Wdl::Draw => 1,
                    Wdl::Loss => 2,
                };
                against[seats[side.index()]][seats[(!side).index()]][place] += 1;
            }
        }
        let rated = ratings(count, &meetings(&against));
        let margins = self.margins();
        let row = |seat: usize| {
            let games: u64 = against[seat].iter().flatten().sum();
            let known = rated.get(seat).filter(|_| games > 0);
            CrosstableRow {
                player: self.players[seat].clone(),
                elo: known.map(|rating| rating.elo).filter(|elo| elo.is_finite()),
                elo_error: known.map(|rating| rating.error).filter(|error| error.is_finite()),
                games,
                points: against[seat].iter().map(points).sum(),
                against: against[seat].clone(),
                margins: margins.get(seat).cloned().unwrap_or_default(),
            }
        };
        Crosstable {
            players: (0..count).map(row).collect(),
            duel: self.is_match.then(|| self.duel()),
        }
    }

    /// The mean margin of each player on the first side against each on the second; empty if the game
    /// has no margins.
    fn margins(&self) -> Vec<Vec<Option<f64>>> {
        if !self.has_margin {
            return Vec::new();
        }
        let count = self.players.len();
        let mut sums = vec![vec![(0.0, 0u32); count]; count];
        for (index, played) in self.games.iter().enumerate() {
            if Ending::from_text(&played.ending) == Some(Ending::Played) {
                let [first, second] = self.seats(index);
                let (sum, games) = &mut sums[first][second];
                *sum += f64::from(played.margin);
                *games += 1;
            }
        }
        let mean = |(sum, games): (f64, u32)| (games > 0).then(|| sum / f64::from(games));
        sums.into_iter().map(|row| row.into_iter().map(mean).collect()).collect()
    }

    fn duel(&self) -> Duel {
        let mut pairs = Pentanomial::default();
        for pair in self.games.chunks_exact(2) {
            let half_points = |side: Side| pair[side.index()].outcome().wdl(side) as usize;
            pairs.add(half_points(Side::First) + half_points(Side::Second));
        }
        let sprt = self.sprt.map(|sprt| {
            let [lower, upper] = sprt.bounds();
            [sprt.llr(&pairs), lower, upper]
        });
        Duel {
            elo: pairs.elo(),
            elo_error: pairs.elo_error(),
            los: pairs.los(),
            pairs: pairs.0,
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

fn meetings(against: &[Vec<[u64; 3]>]) -> Vec<Meeting> {
    let players = against.len();
    let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b]));
    pairs
        .map(|[a, b]| Meeting {
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

/// Game number `index` of a job, for the library.
pub(super) fn game(job: &Job, index: usize) -> ApiResult<GameFile> {
    let missing = || Problem::JobGameNotFound { job: job.id().into(), index };
    let pair = read_log::<Pair<Text>>(&log(job))?.nth(index / 2);
    let [first, second] = pair.ok_or_else(missing)??.output;
    let text = if index.is_multiple_of(2) { first.text } else { second.text };
    let series = series_of(job).map_err(ApiError::internal)?;
    let game = find_game(&series.game)?.game();
    let record = tablero_core::pgn::read_one(game, &text).map_err(ApiError::internal)?;
    Ok(file_of(&record))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_follow_the_order_of_the_arena() {
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
                assert_eq!(results.seats(2 * pair), [a, b], "{players} players, pair {pair}");
                assert_eq!(results.seats(2 * pair + 1), [b, a]);
            }
        }
    }
}
