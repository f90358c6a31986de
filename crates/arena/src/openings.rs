use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tablero_core::{
    AnyGame, AnyMatch, AnyPly, AnyPosition, AnyRecord, AnyRules, BookLine, ForMover, Game, Record,
    Rng, pgn,
};

use crate::ArenaError;

/// Where the games of a match start from. Each opening is played twice, with colours swapped.
///
/// All but `Start` give every pair of games an opening of its own, different from the others even
/// when the board is turned or mirrored, so that players without randomness never play the same game
/// twice; where there are not enough openings they are made longer, and come again only when that
/// does not help.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Openings {
    /// The usual starting position, every time.
    Start,
    /// Random moves from the start.
    Random {
        /// How many plies.
        plies: usize,
    },
    /// Well-known lines in random order, each followed by random moves.
    Book {
        /// How many plies of random moves.
        plies: usize,
    },
    /// These, in their order; see [`Openings::given`].
    Given {
        /// Each a game as text.
        games: Vec<String>,
    },
}

/// Which openings are fair enough.
pub struct Balance<'a> {
    /// What a position is worth.
    pub evaluate: &'a dyn Fn(&AnyPosition) -> ForMover<i32>,
    /// An opening may be worth so much to either side.
    pub within: i32,
}

/// How often to try at each length; how often when openings have begun to come again, so that there
/// is hardly a new one left to find.
const TRIES: usize = 100;
const TRIES_AFTER: usize = 5;
/// How many plies longer an opening may become.
const LONGER: usize = 4;

impl Openings {
    /// What a game's matches start from unless asked otherwise.
    pub fn usual(game: AnyGame) -> Self {
        if game.book().is_empty() {
            Self::Random { plies: game.opening_plies() }
        } else {
            Self::Book { plies: 0 }
        }
    }

    /// The positions, or the first `plies` plies of the games, that `records` hold (from a file, say).
    /// Those that lead to the end of a game are left out.
    pub fn given(records: &[AnyRecord], plies: usize) -> Self {
        let opening = |record: &AnyRecord| {
            let mut start = Record::new(record.start.clone());
            start.plies = record.plies.iter().take(plies).map(|ply| AnyPly::new(ply.m)).collect();
            start.tags = record.tags.iter().filter(|(name, _)| name == OPENING).cloned().collect();
            is_playable(&start.replay().ok()?).then(|| pgn::write(&start))
        };
        Self::Given { games: records.iter().filter_map(opening).collect() }
    }

    /// Makes the openings of `pairs` pairs of games; `seed` names the random ones. With `balance`,
    /// an opening that is not fair enough is replaced by another, as far as there are any.
    pub fn make(
        &self,
        rules: AnyRules,
        pairs: usize,
        seed: u64,
        balance: Option<&Balance<'_>>,
    ) -> Result<Vec<AnyRecord>, ArenaError> {
        // The games of a match take their randomness from its seed itself.
        let seed = !seed;
        let start = AnyRecord::new(rules.start());
        let (bases, plies) = match self {
            Self::Start => return Ok(vec![start; pairs]),
            Self::Random { plies } => (vec![start], *plies),
            Self::Book { plies } => (shuffled_book(&start, seed)?, *plies),
            Self::Given { games } => (read_given(rules.game(), games)?, 0),
        };
        let mut maker = Maker { balance, seen: HashSet::new(), tries: TRIES };
        let bases = bases.iter().cycle().take(pairs);
        bases
            .zip(0..)
            .map(|(base, index)| maker.next(base, plies, &mut Rng::for_part(seed, index)))
            .collect()
    }
}

/// The tag that names an opening.
const OPENING: &str = "Opening";

fn shuffled_book(start: &AnyRecord, seed: u64) -> Result<Vec<AnyRecord>, ArenaError> {
    let game = start.start.game();
    let mut records: Vec<_> = game
        .book()
        .iter()
        .map(|BookLine { name, moves }| {
            let mut record = start.clone();
            record.set_tag(OPENING, *name);
            let mut position = record.start.clone();
            for text in moves.split_whitespace() {
                let m = position.parse_move(text).map_err(|error| {
                    ArenaError::Config(format!("opening {name}: {text}: {error}"))
                })?;
                record.plies.push(AnyPly::new(m));
                position.play(m);
            }
            Ok(record)
        })
        .collect::<Result<_, ArenaError>>()?;
    if records.is_empty() {
        return Err(ArenaError::Config(format!("there is no book of openings for {game}")));
    }
    Rng::seeded(seed).shuffle(&mut records);
    Ok(records)
}

fn read_given(game: AnyGame, games: &[String]) -> Result<Vec<AnyRecord>, ArenaError> {
    if games.is_empty() {
        return Err(ArenaError::Config("no opening to start from was given".into()));
    }
    let read = |text: &String| pgn::read_one(game, text);
    let records: Result<_, _> = games.iter().map(read).collect();
    records.map_err(|error| ArenaError::Config(format!("an opening that was given: {error}")))
}

/// Makes openings that differ from each other.
struct Maker<'a> {
    balance: Option<&'a Balance<'a>>,
    seen: HashSet<u64>,
    tries: usize,
}

impl Maker<'_> {
    /// The opening `base` with `plies` random plies after it, or more if that is what it takes.
    fn next(
        &mut self,
        base: &AnyRecord,
        plies: usize,
        rng: &mut Rng,
    ) -> Result<AnyRecord, ArenaError> {
        let mut best = None;
        for attempt in 0..self.tries * (LONGER + 1) {
            let Some(game) = grow(base, plies + attempt / self.tries, rng) else {
                continue;
            };
            let flaw = self.flaw(game.position());
            if best.as_ref().is_none_or(|(least, _)| flaw < *least) {
                best = Some((flaw, game));
            }
            if flaw == (false, 0) {
                break;
            }
        }
        let (_, game) = best.ok_or_else(|| {
            ArenaError::Config(format!("every opening of {plies} plies ends the game"))
        })?;
        if !self.seen.insert(key(game.position())) {
            self.tries = TRIES_AFTER;
        }
        let mut record = base.clone();
        record.plies = game.played().map(AnyPly::new).collect();
        Ok(record)
    }

    /// What is wrong with an opening, the worse the greater: that it was there before; how much too
    /// unfair it is.
    fn flaw(&self, position: &AnyPosition) -> (bool, u32) {
        let excess = |balance: &Balance<'_>| {
            let worth = (balance.evaluate)(position).0.unsigned_abs();
            worth.saturating_sub(balance.within.unsigned_abs())
        };
        (self.seen.contains(&key(position)), self.balance.map_or(0, excess))
    }
}

/// `base` and random moves after it; none if that ends the game.
fn grow(base: &AnyRecord, plies: usize, rng: &mut Rng) -> Option<AnyMatch> {
    let mut game = base.replay().ok()?;
    for _ in 0..plies {
        let m = game.position().random_move(rng)?;
        game.play(m).ok()?;
    }
    is_playable(&game).then_some(game)
}

fn is_playable(game: &AnyMatch) -> bool {
    game.end().is_none() && game.draw().is_none()
}

/// The same for all positions that are one position turned or mirrored.
fn key(position: &AnyPosition) -> u64 {
    let keys = (0..position.info().symmetries).map(|symmetry| position.transform(symmetry).key());
    keys.min().unwrap_or(0)
}

impl FromStr for Openings {
    type Err = String;

    /// `start`, `random=PLIES`, `book` or `book=PLIES`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, plies) = text.split_once('=').map_or((text, None), |(a, b)| (a, Some(b)));
        let wrong = || format!("`{text}` is not start, random=PLIES, book or book=PLIES");
        let plies = plies.map(|plies| plies.parse::<usize>().map_err(|_| wrong())).transpose()?;
        match (name, plies) {
            ("start", None) => Ok(Self::Start),
            ("random", Some(plies)) => Ok(Self::Random { plies }),
            ("book", plies) => Ok(Self::Book { plies: plies.unwrap_or(0) }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::Random { plies } => write!(f, "random={plies}"),
            Self::Book { plies: 0 } => f.write_str("book"),
            Self::Book { plies } => write!(f, "book={plies}"),
            Self::Given { games } => write!(f, "{} given", games.len()),
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
        openings.make(rules(), pairs, seed, None).unwrap()
    }

    fn keys(openings: &[AnyRecord]) -> HashSet<u64> {
        openings.iter().map(|opening| key(opening.replay().unwrap().position())).collect()
    }

    #[test]
    fn random_openings_differ_as_long_as_possible() {
        // Up to symmetry there are 12 positions after two plies.
        let two = Openings::Random { plies: 2 };
        let openings = make(&two, 12, 1);
        assert_eq!(keys(&openings).len(), 12);
        assert!(openings.iter().all(|opening| opening.plies.len() == 2));
        let more = make(&two, 40, 1);
        assert_eq!(keys(&more).len(), 40, "longer ones follow");
        assert_eq!(more[..12], openings[..], "whatever follows");
        assert_ne!(make(&two, 12, 2), openings, "another seed, other openings");
        assert_eq!(make(&two, 2000, 1).len(), 2000, "in the end they come again");
    }

    #[test]
    fn openings_leave_something_to_play() {
        for opening in make(&Openings::Random { plies: 7 }, 200, 3) {
            assert!(opening.replay().unwrap().end().is_none());
        }
        let too_long = Openings::Random { plies: 9 };
        assert!(too_long.make(rules(), 1, 1, None).is_err());
        assert!(Openings::Book { plies: 0 }.make(rules(), 1, 1, None).is_err());
        assert_eq!(make(&Openings::Start, 3, 1)[2].plies.len(), 0);
    }

    #[test]
    fn given_openings_come_in_order_and_then_grow() {
        let text = ["1. a1 b2 2. c3 *", "1. b2 a1 2. c3 c1 *", "1. a1 b1 2. a2 b2 3. a3 1-0"];
        let records: Vec<AnyRecord> =
            text.iter().map(|text| pgn::read_one(rules().game(), text).unwrap()).collect();
        let openings = make(&Openings::given(&records, 9), 5, 1);
        let plies: Vec<_> = openings.iter().map(|opening| opening.plies.len()).collect();
        assert_eq!(plies, [3, 4, 4, 5, 4], "the finished game is left out");
        let cut = make(&Openings::given(&records, 2), 3, 1);
        assert!(cut.iter().all(|opening| opening.plies.len() == 2));
        let none = Openings::given(&[], 2);
        assert!(none.make(rules(), 1, 1, None).is_err());
    }

    #[test]
    fn fair_openings_are_preferred() {
        // Fair: the first player's last move was not in the middle.
        let evaluate = |position: &AnyPosition| {
            ForMover(100 * i32::from(position.diagram().cells[4].piece.is_some()))
        };
        let balance = Balance { evaluate: &evaluate, within: 50 };
        let openings = Openings::Random { plies: 1 };
        let made = openings.make(rules(), 2, 1, Some(&balance)).unwrap();
        for opening in &made {
            assert_eq!(evaluate(opening.replay().unwrap().position()), ForMover(0));
        }
        assert_eq!(keys(&made).len(), 2);
    }

    #[test]
    fn reads_what_it_writes() {
        for text in ["start", "random=8", "book", "book=2"] {
            assert_eq!(text.parse::<Openings>().unwrap().to_string(), text);
        }
        for wrong in ["", "random", "random=x", "start=1", "book=-1"] {
            assert!(wrong.parse::<Openings>().is_err(), "{wrong}");
        }
    }
}
