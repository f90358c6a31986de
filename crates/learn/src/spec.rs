use tablero_core::Rules;
use tablero_nets::EncodingSpec;

use crate::Learnable;

/// What configurations are checked against, without the game's type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameSpec {
    /// The network encoding.
    pub encoding: EncodingSpec,
    /// The names of its rules.
    pub rules: Vec<&'static str>,
}

impl GameSpec {
    /// The spec of a game.
    pub fn of<G: Learnable>() -> Self {
        let rules = G::Rules::ALL.iter().map(|rules| rules.name()).collect();
        Self { encoding: EncodingSpec::of::<G>(), rules }
    }

    /// The game's name.
    pub const fn name(&self) -> &'static str {
        self.encoding.game
    }

    /// Whether the game has these rules; case is ignored.
    pub fn has_rules(&self, name: &str) -> bool {
        self.rules.iter().any(|rules| rules.eq_ignore_ascii_case(name))
    }
}
