use std::fmt;

use crate::{Notation, ReadError, Rules};

/// An engine protocol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Protocol {
    /// The Universal Chess Interface, in the game's [`UciDialect`].
    Uci,
    /// The protocol of NBoard, for games that have the file format `ggf`: games are sent as GGF.
    NBoard,
    /// The Go Text Protocol, for games in which a move is a cell of the board.
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

/// The protocols in which engines for a game are spoken to, and how it speaks UCI. Chess does as the
/// protocol says; other games use their own notation for positions and moves.
pub trait UciDialect: Notation {
    /// The protocols in use for this game. For NBoard and GTP a move is written as the cell that it
    /// fills, and [`Notation::parse_move`] takes `pass` for a pass.
    const PROTOCOLS: &'static [Protocol] = &[Protocol::Uci];

    /// A legal move.
    fn uci_move(&self, m: Self::Move) -> String {
        self.move_text(m)
    }

    /// The legal move that `text` names.
    fn parse_uci_move(&self, text: &str) -> Result<Self::Move, ReadError> {
        self.parse_move(text)
    }

    /// The options by which the peer learns what is played, and can choose the rules: what comes
    /// after `option name`.
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

    /// The rules chosen by setting option `name` to `value`, if that chooses any.
    fn rules_of_option(name: &str, value: &str) -> Option<Self::Rules> {
        let is_rules = name.eq_ignore_ascii_case("Rules") && Self::Rules::ALL.len() > 1;
        Self::Rules::from_name(value).filter(|_| is_rules)
    }

    /// The option, and the value of it, that chooses `rules`; none where there is no choice.
    fn option_of_rules(rules: Self::Rules) -> Option<(&'static str, &'static str)> {
        (Self::Rules::ALL.len() > 1).then(|| ("Rules", rules.name()))
    }
}
