use std::fmt;

use crate::{Notation, ReadError, Rules};

/// An engine protocol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Protocol {
    /// The Universal Chess Interface, in the game's [`UciDialect`].
    Uci,
    /// The NBoard protocol, for games with the file format GGF.
    NBoard,
    /// The Go Text Protocol, for games in which a move is a cell.
    Gtp,
}

impl Protocol {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::NBoard => "nboard",
            Self::Gtp => "gtp",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The engine protocols of a game, and its dialect of UCI. Chess follows the specification; other games
/// substitute their own notation of positions and moves.
pub trait UciDialect: Notation {
    /// The protocols in use for this game. In NBoard and GTP a move is the cell that it fills, and
    /// [`Notation::parse_move`] must accept `pass`.
    const PROTOCOLS: &'static [Protocol] = &[Protocol::Uci];

    /// A legal move in UCI notation.
    fn uci_move(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// Parses a legal move in UCI notation.
    fn parse_uci_move(&self, text: &str) -> Result<Self::Move, ReadError> {
        self.parse_move(text)
    }

    /// The UCI options that announce the game and select its rules: the text after `option name`.
    fn variant_options() -> Vec<String> {
        let mut options = vec![format!("UCI_Variant type combo default {0} var {0}", Self::NAME)];
        if let [default, _, ..] = Self::Rules::ALL {
            let names: Vec<&str> = Self::Rules::ALL.iter().map(|rules| rules.name()).collect();
            options.push(format!(
                "Rules type combo default {} var {}",
                default.name(),
                names.join(" var ")
            ));
        }
        options
    }

    /// The rules that option `name` with `value` selects, if any.
    fn rules_from_option(name: &str, value: &str) -> Option<Self::Rules> {
        let is_rules = name.eq_ignore_ascii_case("Rules") && Self::Rules::ALL.len() > 1;
        Self::Rules::from_name(value).filter(|_| is_rules)
    }

    /// The option and value that select `rules`; `None` for a game without variants.
    fn option_for_rules(rules: Self::Rules) -> Option<(&'static str, &'static str)> {
        (Self::Rules::ALL.len() > 1).then(|| ("Rules", rules.name()))
    }
}
