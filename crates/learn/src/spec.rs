//! What learning must know about a game as plain data.

use tablero_core::Rules;
use tablero_nets::Dims;

use crate::Learnable;

/// What learning must know about a game, so that configurations are checked without its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSpec {
    /// What networks see of it.
    pub dims: Dims,
    /// The names of its rules.
    pub rules: Vec<&'static str>,
}

impl GameSpec {
    /// That of a game.
    pub fn of<G: Learnable>() -> Self {
        let rules = G::Rules::ALL.iter().map(|rules| rules.name()).collect();
        Self { dims: Dims::of::<G>(), rules }
    }

    /// The game's name.
    pub const fn name(&self) -> &'static str {
        self.dims.game
    }

    /// Whether it has rules of this name, in any case.
    pub fn has_rules(&self, name: &str) -> bool {
        self.rules.iter().any(|rules| rules.eq_ignore_ascii_case(name))
    }
}
