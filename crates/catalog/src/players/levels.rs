//! Ladders of players, from one that a child can beat to the strongest there is.
//!
//! Weak levels are weak as people are: they look ahead only a little and choose among moves that
//! look nearly as good as the best. Each step was measured by a match against the one below
//! (`tablero match GAME "level 2" "level 1"`): 200 to 300 games in Othello, 200 in tic-tac-toe, 100 in
//! chess, 60 in Shōbu, so that a step is known to some 50, 50, 80 and 100 Elo. The guide has the table.

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
    /// 2250; it scored +470 ± 261 against Stockfish held down to 1700 (50 ms a move, 24 games).
    const LEVEL_ONE: i32 = 0;
    /// Who analyses positions and reviews games; whoever asks bounds the search.
    const ANALYST: &'static str = "alphabeta";
    /// What `level easy`, `level intermediate` and `level hard` stand for.
    const NAMED: [(&'static str, &'static str); 3];
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
        level("alphabeta depth=2 eval=iago within=6 temperature=3", 722),
        level("alphabeta depth=2 eval=iago within=2.5 temperature=1.2", 939),
        level("alphabeta depth=3 eval=iago", 1130),
        level("alphabeta depth=4 eval=iago", 1363),
        level("alphabeta depth=5 eval=iago", 1540),
        level("alphabeta depth=7 eval=iago", 1806),
        level("alphabeta depth=10 eval=iago", 2104),
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
        level("alphabeta depth=1 within=1.8 temperature=0.75", 182),
        level("alphabeta depth=1 within=1 temperature=0.5", 457),
        level("alphabeta depth=2 within=1.2 temperature=0.55", 732),
        level("alphabeta depth=2 within=0.8 temperature=0.4", 859),
        level("alphabeta depth=3 within=1 temperature=0.4", 1074),
        level("alphabeta depth=3 within=0.55 temperature=0.23", 1404),
        level("alphabeta depth=3", 1705),
        level("alphabeta depth=4", 1935),
        level("alphabeta depth=6", 2250),
    ];
    const NAMED: [(&'static str, &'static str); 3] =
        [("easy", "level 2"), ("intermediate", "level 5"), ("hard", "level 8")];
}

impl Levels for Shobu {
    const LADDER: &'static [Level] = &[
        level("alphabeta depth=1 eval=stones within=12 temperature=8 quiescence=0", 0),
        level("alphabeta depth=1 eval=stones within=11 temperature=6.5 quiescence=0", 382),
        level("alphabeta depth=1 eval=stones within=6 temperature=3 quiescence=0", 589),
        level("alphabeta depth=1 within=2.8 temperature=0.9 quiescence=1", 830),
        level("alphabeta depth=1 within=2 temperature=0.75", 984),
        level("alphabeta depth=1 within=1 temperature=0.4", 1104),
        level("alphabeta depth=2 within=1 temperature=0.3", 1373),
        level("alphabeta depth=2", 1468),
        level("alphabeta depth=3 within=0.8 temperature=0.3", 1675),
        level("alphabeta depth=4", 2000),
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
