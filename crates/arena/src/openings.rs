//! Openings of matches: start position, random moves, book or given games.
//!
//! Every pair of games gets its own opening, distinct up to symmetry, so that deterministic players never
//! repeat a game. If openings run out they are extended by more random plies; only then do they repeat.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyGame, AnyGameHistory, AnyPly, AnyPosition, AnyRecord, AnyRules, BookLine, ForMover, Game,
    Record, Rng, pgn,
};

use crate::OpeningsError;

/// Where the games of a match start from. Each opening is played twice, with colours swapped.
///
/// ```
/// use tablero_arena::Openings;
/// use tablero_core::AnyGame;
/// use tablero_tictactoe::TicTacToe;
///
/// let openings: Openings = "random=2".parse()?;
/// let records = openings.generate(AnyGame::of::<TicTacToe>().default_rules(), 12, 1, None)?;
/// assert!(records.iter().all(|record| record.plies.len() == 2));
/// # Ok::<(), tablero_arena::OpeningsError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Openings {
    /// The start position, every time.
    Start,
    /// Random moves from the start position.
    Random {
        /// Number of random plies.
        plies: usize,
    },
    /// The lines of the game's book in random order, each followed by random moves.
    Book {
        /// Number of random plies.
        plies: usize,
    },
    /// The game's default openings, of which unbalanced ones are replaced. They are evaluated when the
    /// match starts, which takes seconds for a thousand games.
    Balanced,
    /// These games, in order; see [`Openings::from_records`].
    Given {
        /// Games as PGN.
        games: Vec<String>,
    },
}

/// A filter for balanced openings.
pub struct BalanceFilter<'a> {
    /// Evaluates a position, in centi-units.
    pub evaluate: &'a dyn Fn(&AnyPosition) -> ForMover<i32>,
    /// Maximum advantage of either side, in centi-units.
    pub max_advantage: i32,
}

/// Attempts at each length.
const ATTEMPTS: usize = 100;
/// Attempts at each length once openings repeat: hardly a new one is left.
const ATTEMPTS_WHEN_EXHAUSTED: usize = 5;
/// Most plies by which an opening is extended.
const MAX_EXTRA_PLIES: usize = 4;

impl Openings {
    /// The default openings of a game: its book, or else random plies.
    pub fn default_for(game: AnyGame) -> Self {
        if game.book().is_empty() {
            Self::Random { plies: game.opening_plies() }
        } else {
            Self::Book { plies: 0 }
        }
    }

    /// The positions of `records`, or the first `plies` plies of their games. Those that end the game
    /// are skipped.
    pub fn from_records(records: &[AnyRecord], plies: usize) -> Self {
        let opening = |record: &AnyRecord| {
            let mut start = Record::new(record.start.clone());
            start.plies = record.plies.iter().take(plies).map(|ply| AnyPly::new(ply.m)).collect();
            start.tags = record.tags.iter().filter(|(name, _)| name == OPENING).cloned().collect();
            is_playable(&start.replay().ok()?).then(|| pgn::write(&start))
        };
        Self::Given { games: records.iter().filter_map(opening).collect() }
    }

    /// Generates the openings of `pairs` pairs of games. With `balance`, openings outside the filter are
    /// replaced as far as possible; without it, [`Openings::Balanced`] are the default openings.
    pub fn generate(
        &self,
        rules: AnyRules,
        pairs: usize,
        seed: u64,
        balance: Option<&BalanceFilter<'_>>,
    ) -> Result<Vec<AnyRecord>, OpeningsError> {
        // A stream independent of the games' seeds.
        let stream_seed = !seed;
        let start = AnyRecord::new(rules.start());
        let (bases, plies) = match self {
            Self::Start => return Ok(vec![start; pairs]),
            Self::Balanced => {
                return Self::default_for(rules.game()).generate(rules, pairs, seed, balance);
            }
            Self::Random { plies } => (vec![start], *plies),
            Self::Book { plies } => (shuffled_book(&start, stream_seed)?, *plies),
            Self::Given { games } => (read_given(rules.game(), games)?, 0),
        };
        let mut generator = Generator { balance, seen: HashSet::new(), attempts: ATTEMPTS };
        let bases = bases.iter().cycle().take(pairs);
        bases
            .zip(0..)
            .map(|(base, index)| {
                generator.next(base, plies, &mut Rng::for_stream(stream_seed, index))
            })
            .collect()
    }
}

/// The PGN tag of an opening's name.
const OPENING: &str = "Opening";

fn shuffled_book(start: &AnyRecord, seed: u64) -> Result<Vec<AnyRecord>, OpeningsError> {
    let game = start.start.game();
    let mut records: Vec<_> = game
        .book()
        .iter()
        .map(|BookLine { name, moves }| {
            let mut record = start.clone();
            record.set_tag(OPENING, *name);
            let mut position = record.start.clone();
            for text in moves.split_whitespace() {
                let m = position.parse_move(text).map_err(|error| OpeningsError::BookMove {
                    name,
                    text: text.into(),
                    error,
                })?;
                record.plies.push(AnyPly::new(m));
                position.play(m);
            }
            Ok(record)
        })
        .collect::<Result<_, OpeningsError>>()?;
    if records.is_empty() {
        return Err(OpeningsError::NoBook { game: game.name() });
    }
    Rng::seeded(seed).shuffle(&mut records);
    Ok(records)
}

fn read_given(game: AnyGame, games: &[String]) -> Result<Vec<AnyRecord>, OpeningsError> {
    if games.is_empty() {
        return Err(OpeningsError::Empty);
    }
    let read = |text: &String| pgn::read_one(game, text);
    let records: Result<_, _> = games.iter().map(read).collect();
    records.map_err(OpeningsError::Record)
}

/// Generates distinct openings.
struct Generator<'a> {
    balance: Option<&'a BalanceFilter<'a>>,
    /// Canonical keys of the openings so far.
    seen: HashSet<u64>,
    attempts: usize,
}

impl Generator<'_> {
    /// `base` followed by `plies` random plies, or by more if there is no new opening of that length.
    fn next(
        &mut self,
        base: &AnyRecord,
        plies: usize,
        rng: &mut Rng,
    ) -> Result<AnyRecord, OpeningsError> {
        let mut best = None;
        for attempt in 0..self.attempts * (MAX_EXTRA_PLIES + 1) {
            let Some(game) = extend_randomly(base, plies + attempt / self.attempts, rng) else {
                continue;
            };
            let penalty = self.penalty(game.position());
            if best.as_ref().is_none_or(|(least, _)| penalty < *least) {
                best = Some((penalty, game));
            }
            if penalty == (false, 0) {
                break;
            }
        }
        let (_, game) = best.ok_or(OpeningsError::TooLong { plies })?;
        if !self.seen.insert(canonical_key(game.position())) {
            self.attempts = ATTEMPTS_WHEN_EXHAUSTED;
        }
        let mut record = base.clone();
        record.plies = game.played().map(AnyPly::new).collect();
        Ok(record)
    }

    /// Whether an opening repeats, and by how much it exceeds the balance filter.
    fn penalty(&self, position: &AnyPosition) -> (bool, u32) {
        let excess = |balance: &BalanceFilter<'_>| {
            let advantage = (balance.evaluate)(position).0.unsigned_abs();
            advantage.saturating_sub(balance.max_advantage.unsigned_abs())
        };
        (self.seen.contains(&canonical_key(position)), self.balance.map_or(0, excess))
    }
}

/// `base` followed by random plies; none if that ends the game.
fn extend_randomly(base: &AnyRecord, plies: usize, rng: &mut Rng) -> Option<AnyGameHistory> {
    let mut game = base.replay().ok()?;
    for _ in 0..plies {
        let m = game.position().random_move(rng)?;
        game.play(m).ok()?;
    }
    is_playable(&game).then_some(game)
}

fn is_playable(game: &AnyGameHistory) -> bool {
    game.end().is_none() && game.draw().is_none()
}

/// The least key over all symmetries of a position.
fn canonical_key(position: &AnyPosition) -> u64 {
    let keys = (0..position.info().symmetries).map(|symmetry| position.transform(symmetry).key());
    keys.min().unwrap_or(0)
}

impl FromStr for Openings {
    type Err = OpeningsError;

    /// Parses `start`, `random=PLIES`, `book`, `book=PLIES` or `balanced`.
    fn from_str(text: &str) -> Result<Self, OpeningsError> {
        let (name, plies) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
        let invalid = || OpeningsError::Syntax { text: text.into() };
        let plies = plies.map(|plies| plies.parse::<usize>().map_err(|_| invalid())).transpose()?;
        match (name, plies) {
            ("start", None) => Ok(Self::Start),
            ("balanced", None) => Ok(Self::Balanced),
            ("random", Some(plies)) => Ok(Self::Random { plies }),
            ("book", plies) => Ok(Self::Book { plies: plies.unwrap_or(0) }),
            _ => Err(invalid()),
        }
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::Balanced => f.write_str("balanced"),
            Self::Random { plies } => write!(f, "random={plies}"),
            Self::Book { plies: 0 } => f.write_str("book"),
            Self::Book { plies } => write!(f, "book={plies}"),
            Self::Given { games } => write!(f, "{} openings", games.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use tablero_tictactoe::TicTacToe;

    use super::*;

    fn rules() -> AnyRules {
        AnyGame::of::<TicTacToe>().default_rules()
    }

    fn make(openings: &Openings, pairs: usize, seed: u64) -> Vec<AnyRecord> {
        openings.generate(rules(), pairs, seed, None).unwrap()
    }

    fn keys(openings: &[AnyRecord]) -> HashSet<u64> {
        openings.iter().map(|opening| canonical_key(opening.replay().unwrap().position())).collect()
    }

    #[test]
    fn random_openings_are_distinct_while_possible() {
        // Up to symmetry there are 12 positions after two plies.
        let two = Openings::Random { plies: 2 };
        let openings = make(&two, 12, 1);
        assert_eq!(keys(&openings).len(), 12);
        assert!(openings.iter().all(|opening| opening.plies.len() == 2));
        let more = make(&two, 40, 1);
        assert_eq!(keys(&more).len(), 40, "extended by more plies");
        assert_eq!(more[..12], openings[..], "a prefix of any longer list");
        assert_ne!(make(&two, 12, 2), openings, "another seed, other openings");
        assert_eq!(make(&two, 2000, 1).len(), 2000, "repeated when exhausted");
    }

    #[test]
    fn openings_never_end_the_game() {
        for opening in make(&Openings::Random { plies: 7 }, 200, 3) {
            assert!(opening.replay().unwrap().end().is_none());
        }
        let too_long = Openings::Random { plies: 9 };
        let error = too_long.generate(rules(), 1, 1, None).unwrap_err();
        assert_eq!(error, OpeningsError::TooLong { plies: 9 });
        let error = Openings::Book { plies: 0 }.generate(rules(), 1, 1, None).unwrap_err();
        assert_eq!(error, OpeningsError::NoBook { game: "tictactoe" });
        assert_eq!(make(&Openings::Start, 3, 1)[2].plies.len(), 0);
    }

    #[test]
    fn given_openings_are_used_in_order_then_extended() {
        let text = ["1. a1 b2 2. c3 *", "1. b2 a1 2. c3 c1 *", "1. a1 b1 2. a2 b2 3. a3 1-0"];
        let records: Vec<AnyRecord> =
            text.iter().map(|text| pgn::read_one(rules().game(), text).unwrap()).collect();
        let openings = make(&Openings::from_records(&records, 9), 5, 1);
        let plies: Vec<_> = openings.iter().map(|opening| opening.plies.len()).collect();
        assert_eq!(plies, [3, 4, 4, 5, 4], "the finished game is skipped");
        let cut = make(&Openings::from_records(&records, 2), 3, 1);
        assert!(cut.iter().all(|opening| opening.plies.len() == 2));
        let none = Openings::from_records(&[], 2);
        assert_eq!(none.generate(rules(), 1, 1, None), Err(OpeningsError::Empty));
    }

    #[test]
    fn balanced_openings_are_preferred() {
        // Balanced: the centre is empty.
        let evaluate = |position: &AnyPosition| {
            ForMover(100 * i32::from(position.diagram().cells[4].piece.is_some()))
        };
        let balance = BalanceFilter { evaluate: &evaluate, max_advantage: 50 };
        let openings = Openings::Random { plies: 1 };
        let made = openings.generate(rules(), 2, 1, Some(&balance)).unwrap();
        for opening in &made {
            assert_eq!(evaluate(opening.replay().unwrap().position()), ForMover(0));
        }
        assert_eq!(keys(&made).len(), 2);
    }

    #[test]
    fn parses_what_it_displays() {
        for text in ["start", "random=8", "book", "book=2", "balanced"] {
            assert_eq!(text.parse::<Openings>().unwrap().to_string(), text);
        }
        for wrong in ["", "random", "random=x", "start=1", "book=-1"] {
            assert!(wrong.parse::<Openings>().is_err(), "{wrong}");
        }
    }
}
