//! Ladders of players, from one that a child can beat to the strongest there is.
//!
//! Weak levels are weak as people are: they look ahead only a little and choose among moves that
//! look nearly as good as the best. Each step was measured by a match against the one below
//! (`tablero match GAME "level 2" "level 1"`) of 100 to 300 games, so that a step is known to some 50 to
//! 90 Elo; the guide has the table. Ten steps of at most 300 Elo do not reach from a beginner to the
//! strongest there is: beyond the last level are deeper searches.

use tablero_chess::Chess;
use tablero_core::Game;
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use super::{PlayerLine, PlayerLineError};

/// The levels of a game.
pub trait Levels: Game {
    /// From the weakest to the strongest.
    const LADDER: &'static [Level];
    /// The rating of level 1 on the scale that players of the game use. In chess this makes level 10
    /// 2086; it scored +382 ± 159 against Stockfish held down to 1700 (50 ms a move, 40 games).
    const LEVEL_ONE: i32 = 0;
    /// Who analyses positions and reviews games; whoever asks bounds the search.
    const ANALYST: &'static str = "alphabeta";
    /// What `level easy`, `level intermediate` and `level hard` stand for.
    const NAMED: [(&'static str, &'static str); 3];

    /// A level's rating on that scale, which has nothing below 0.
    fn rating(level: &Level) -> u32 {
        u32::try_from(Self::LEVEL_ONE + level.elo).unwrap_or(0)
    }
}

/// A player of measured strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// The line that it stands for.
    pub line: &'static str,
    /// Measured Elo, level 1 being 0.
    pub elo: i32,
}

const fn level(line: &'static str, elo: i32) -> Level {
    Level { line, elo }
}

impl Levels for Othello {
    const ANALYST: &'static str = "champion";
    const LADDER: &'static [Level] = &[
        level("alphabeta depth=1 eval=discs within=12 temperature=6", 0),
        level("alphabeta depth=1 eval=positional within=20 temperature=12", 246),
        level("alphabeta depth=1 eval=iago within=3 temperature=1.5", 536),
        level("alphabeta depth=2 eval=iago within=4 temperature=2", 818),
        level("alphabeta depth=3 eval=iago within=2 temperature=1", 1096),
        level("alphabeta depth=4 eval=iago", 1348),
        level("champion level=2", 1514),
        level("champion level=4", 1736),
        level("champion level=7", 1974),
        level("champion level=10", 2191),
    ];
    /// Exactly those of "Juego de IA Othello".
    const NAMED: [(&'static str, &'static str); 3] = [
        ("easy", "alphabeta depth=3 eval=discs selectivity=off"),
        ("intermediate", "alphabeta depth=3 eval=positional selectivity=off"),
        ("hard", "alphabeta depth=6 eval=positional selectivity=off"),
    ];
}

impl Levels for Chess {
    const LADDER: &'static [Level] = &[
        level("alphabeta depth=1 within=3 temperature=1", 0),
        level("alphabeta depth=1 within=1.7 temperature=0.72", 289),
        level("alphabeta depth=1 within=0.95 temperature=0.46", 547),
        level("alphabeta depth=2 within=1.2 temperature=0.55", 795),
        level("alphabeta depth=2 within=0.75 temperature=0.37", 1041),
        level("alphabeta depth=3 within=0.9 temperature=0.37", 1336),
        level("alphabeta depth=3 within=0.58 temperature=0.24", 1560),
        level("alphabeta depth=3", 1849),
        level("alphabeta depth=4", 2084),
        level("alphabeta depth=5", 2336),
    ];
    const LEVEL_ONE: i32 = -250;
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 2"), ("intermediate", "level 5"), ("hard", "level 8")];
}

impl Levels for Shobu {
    const LADDER: &'static [Level] = &[
        level("alphabeta depth=1 eval=stones within=12 temperature=5 quiescence=0", 0),
        level("alphabeta depth=1 eval=stones within=11 temperature=6.5 quiescence=0", 199),
        level("alphabeta depth=1 within=3.6 temperature=1.3 quiescence=1", 440),
        level("alphabeta depth=1 within=3 temperature=1.05 quiescence=1", 631),
        level("alphabeta depth=1 within=2 temperature=0.75", 863),
        level("alphabeta depth=1 within=0.7 temperature=0.28", 1137),
        level("alphabeta depth=2 within=0.8 temperature=0.3", 1332),
        level("alphabeta depth=3 within=1.1 temperature=0.42", 1582),
        level("alphabeta depth=3 within=0.5 temperature=0.2", 1702),
        level("alphabeta depth=4", 1962),
    ];
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 2"), ("intermediate", "level 5"), ("hard", "level 8")];
}

impl Levels for TicTacToe {
    const LADDER: &'static [Level] = &[
        level("random", 0),
        level("alphabeta depth=1 within=0.2 temperature=0.1", 230),
        level("alphabeta depth=9", 419),
    ];
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 1"), ("intermediate", "level 2"), ("hard", "level 3")];
}

/// The player line that a `level` line stands for.
pub fn level_line<G: Levels>(line: &PlayerLine) -> Result<&'static str, PlayerLineError> {
    let known = || {
        let named: Vec<_> = G::NAMED.iter().map(|(name, _)| *name).collect();
        format!("1 to {}, {}", G::LADDER.len(), named.join(", "))
    };
    let [word] = &line.words[..] else {
        return Err(PlayerLineError(format!("`level` needs one word: {}", known())));
    };
    if let Some((name, _)) = line.options.first() {
        return Err(PlayerLineError(format!("`level` has no option `{name}`")));
    }
    let named = || G::NAMED.iter().find(|(name, _)| name == word).map(|(_, line)| *line);
    let numbered = || {
        let number: usize = word.parse().ok()?;
        G::LADDER.get(number.checked_sub(1)?).map(|level| level.line)
    };
    named().or_else(numbered).ok_or_else(|| {
        PlayerLineError(format!("{} has no level `{word}`; there are {}", G::NAME, known()))
    })
}

#[cfg(test)]
mod tests {
    use crate::players::{Setup, build};

    fn check<G: crate::Catalogued>() {
        let named = G::NAMED.iter().map(|(name, _)| (*name).to_owned());
        let numbered = (1..=G::LADDER.len()).map(|number| number.to_string());
        for name in named.chain(numbered) {
            let built = build::<G>(&format!("level {name}"), &Setup::default());
            assert!(built.is_ok(), "{} {name}: {}", G::NAME, built.err().expect("an error"));
        }
        for wrong in ["level", "level 0", "level 11", "level godlike", "level 1 depth=3"] {
            let error = build::<G>(wrong, &Setup::default()).err().expect(wrong);
            assert!(error.to_string().contains("level"), "{error}");
        }
    }

    #[test]
    fn every_level_can_be_built() {
        for &name in crate::GameName::ALL {
            for_game!(name, G => check::<G>());
        }
    }
}
